import { describe, expect, it } from "vitest";
import { Bands } from "../../../src/web/page/pictures/bands.tsx";
import { DistanceBar, Ticks } from "../../../src/web/page/pictures/bars.tsx";
import { heatLevel, heatScale, WideHeat } from "../../../src/web/page/pictures/heat.tsx";
import { Range, rangeExtent } from "../../../src/web/page/pictures/range.tsx";
import { Spark } from "../../../src/web/page/pictures/spark.tsx";
import { Stack } from "../../../src/web/page/pictures/stack.tsx";

const span = { from: 0, to: 3_600_000 };
const text = (element: unknown): string => String(element);

describe("a spark", () => {
  const base = {
    title: "TVL of ETH/USDC",
    desc: "It fell.",
    severity: "critical" as const,
    span,
    limits: [
      { value: 20, text: "below 20" },
      { value: 22, text: "", back: true },
    ],
    firing: [{ from: 3_000_000, to: 3_600_000 }],
  };
  const points = [
    { at: 0, value: 30 },
    { at: 3_000_000, value: 10 },
    { at: 3_600_000, value: 10 },
  ];

  it("has its title, the limit with its name, where it is over, and when it fired", () => {
    const picture = text(<Spark {...base} points={points} />);
    expect(picture).toContain("<title>TVL of ETH/USDC</title><desc>It fell.</desc>");
    expect(picture).toContain(">below 20</text>");
    expect(picture).toContain('class="limit back"');
    expect(picture).toMatch(/class="fire" x="83.33%" [^>]*width="16.67%"/);
    expect(picture).toMatch(/class="now" cx="100%"/);
  });

  it("shows the window of a change from its base to now", () => {
    const window = { from: 600_000, base: { at: 600_000, value: 30, text: "30 M" } };
    const picture = text(<Spark {...base} points={points} window={window} />);
    expect(picture).toMatch(/class="win" x="16.67%" [^>]*width="83.33%"/);
    expect(picture).toContain(">30 M</text>");
  });

  it("says so where no value is known", () => {
    const picture = text(<Spark {...base} limits={[]} points={[]} />);
    expect(picture).toContain("no values yet");
    expect(picture).not.toContain("NaN");
  });

  it("escapes what strangers call things, and has no style and no script", () => {
    const picture = text(<Spark {...base} points={points} title={'"><script>x</script>'} />);
    expect(picture).toContain("&lt;script&gt;");
    expect(picture).not.toContain("<script");
    expect(picture).not.toContain("style=");
  });
});

describe("a range", () => {
  const range = {
    title: "Range",
    desc: "",
    severity: null,
    closed: false,
    lower: -1_000,
    upper: 1_000,
    lowerText: "0.9",
    upperText: "1.1",
    priceText: "1.0",
    trail: [],
    span,
    axis: null,
  };

  it("is solid with the price in it, hatched with a gap to the price while out of it", () => {
    const inside = text(<Range {...range} price={0} />);
    expect(inside).toContain('class="rng"');
    expect(inside).not.toContain('class="gap"');
    expect(inside).toMatch(/class="now" cx="50%"/);
    const outside = text(<Range {...range} price={-2_000} />);
    expect(outside).toContain('class="rng out"');
    expect(outside).toContain('class="gap"');
  });

  it("has its upper edge outside: there the price is out of it", () => {
    expect(text(<Range {...range} price={1_000} />)).toContain('class="rng out"');
    expect(text(<Range {...range} price={999} />)).toContain('class="rng"');
  });

  it("is hatched and lacks nothing once it is closed", () => {
    const closed = text(<Range {...range} price={-2_000} closed />);
    expect(closed).toContain('class="rng out"');
    expect(closed).not.toContain('class="gap"');
  });

  it("leaves an edge out of the picture that is as good as infinite", () => {
    const whole = { ...range, lower: -887_220, upper: 887_220, price: 0 };
    const { low, high } = rangeExtent([whole]);
    expect(high - low).toBeLessThan(1_000);
    expect(text(<Range {...whole} />)).not.toContain('class="end"');
  });
});

describe("a distance bar", () => {
  const bar = (ratio: number): string => text(<DistanceBar severity="warning" ratio={ratio} />);

  it("has the limit at 75% in every row, and ends at the picture's edge", () => {
    expect(bar(0.5)).toMatch(/class="bf" y="3" width="37.5%"/);
    expect(bar(0.1)).toContain('class="bf far"');
    expect(bar(1)).toMatch(/class="bf over" y="3" width="75%"/);
    expect(bar(9)).toContain('width="100%" height="6"></rect><line class="bl" x1="75%"');
    expect(bar(-2)).toContain('width="0%"');
  });
});

describe("ticks of many alerts", () => {
  it("are as few as one can see, however many alerts there are", () => {
    const ratios = Array.from({ length: 100_000 }, (_, i) => 1 + i / 50_000);
    const picture = text(<Ticks title="" desc="" severity="warning" ratios={ratios} />);
    expect(picture.length).toBeLessThan(20_000);
  });
});

describe("bands", () => {
  it("tell states apart by shape, not by colour alone", () => {
    const picture = text(
      <Bands
        title="States"
        desc=""
        severity="warning"
        span={span}
        held={[{ from: 0, to: 10 }]}
        bands={[
          { from: 0, to: 600_000, state: "pending" },
          { from: 600_000, to: 900_000, state: "firing" },
          { from: 900_000, to: 1_200_000, state: "recovering" },
          { from: 1_200_000, to: 1_500_000, state: "no_data" },
          { from: 1_500_000, to: 3_600_000, state: "ok" },
        ]}
      />,
    );
    expect(picture).toContain('fill="url(#h-warn)"');
    expect(picture).toContain('fill="url(#d-warn)"');
    expect(picture).toContain('class="b-firing"');
    expect(picture).toContain('class="b-no_data"');
    expect(picture).toContain('class="b-held"');
  });
});

describe("a heat map", () => {
  const values = Array.from({ length: 168 }, (_, i) => 1 + (i % 24) / 10);

  it("has five levels, the last from the limit on", () => {
    const scale = heatScale(values, 5);
    expect(heatLevel(1, scale)).toBe(1);
    expect(heatLevel(3.3, scale)).toBe(4);
    expect(heatLevel(5, scale)).toBe(5);
    expect(scale.cheap).toBeCloseTo(1.2);
  });

  it("shows no data as such, and nothing for hours that are to come", () => {
    const days = [
      { label: "Sat 28", short: "Sat", today: true, cells: [null, { value: 6, text: "6.00" }] },
    ];
    const picture = text(
      <WideHeat title="Week" desc="" days={days} scale={heatScale(values, 5)} hour={1} />,
    );
    expect(picture.match(/class="qn"/g)).toHaveLength(1);
    expect(picture.match(/class="q5"/g)).toHaveLength(1);
    expect(picture).toContain('class="hot"');
  });
});

describe("a stack", () => {
  it("puts each part on the ones before, and names those that are thick enough", () => {
    const points = (value: number) => [
      { at: 0, value },
      { at: 3_600_000, value },
    ];
    const picture = text(
      <Stack
        title="Supply"
        desc=""
        span={span}
        nowText="101M"
        format={String}
        parts={[
          { name: "Polygon", text: "60M", points: points(60) },
          { name: "Monad", text: "40M", points: points(40) },
          { name: "Katana", text: "1M", points: points(1) },
        ]}
      />,
    );
    expect(picture).toContain("Polygon 60M");
    expect(picture).toContain("Monad 40M");
    expect(picture).not.toContain("Katana 1M");
    expect(picture).toContain("now 101M");
  });
});
