import type { Child } from "hono/jsx";
import { cut, rulePath } from "../format/words.ts";
import { Mark, type MarkName } from "../sprite.tsx";
import { When } from "./time.tsx";

/** The pieces that pages are put together of. */

interface NameProps {
  readonly of: string;
  readonly most?: number;
  /** The element that it stands in. */
  readonly as?: "b" | "span" | "p";
  readonly class?: string;
}

/** Names and words of strangers: cut, and kept from turning the direction of the text beside them. */
export function Name({ of, most, as: Tag, class: name }: NameProps) {
  const text = <bdi>{cut(of, most)}</bdi>;
  if (Tag === undefined) return text;
  return <Tag {...(name === undefined ? {} : { class: name })}>{text}</Tag>;
}

/** A number with all of its digits, which breaks behind its commas where it does not fit in a line. */
export function Digits({ of, most }: { readonly of: string; readonly most: number }) {
  const [first, ...others] = cut(of, most).split(/(?<=,)/);
  return (
    <bdi>
      {first}
      {others.map((group) => (
        <>
          <wbr />
          {group}
        </>
      ))}
    </bdi>
  );
}

/** A rule's name as the way to its page. */
export function RuleLink({ rule, most = 60 }: { readonly rule: string; readonly most?: number }) {
  return (
    <a class="mono" href={rulePath(rule)}>
      <Name of={rule} most={most} />
    </a>
  );
}

interface HeadProps {
  readonly title: Child;
  readonly say?: Child;
  /** A script brings it up to date under this name. */
  readonly live?: string;
}

/** What a page begins with. */
export function Head({ title, say, live }: HeadProps) {
  return (
    <div class="verdict">
      <div {...(live === undefined ? {} : { "data-live": live })}>
        <h1>{title}</h1>
        {say !== undefined && <p class="dim">{say}</p>}
      </div>
    </div>
  );
}

interface SectionProps {
  /** Of the heading, with `h-` before it. */
  readonly id: string;
  readonly title: string;
  readonly count?: Child;
  readonly say?: Child;
  readonly children?: Child;
}

function Heading({ id, title, count }: SectionProps) {
  return (
    <h2 id={`h-${id}`}>
      {title}
      {count !== undefined && (
        <>
          {" "}
          <span class="cnt">{count}</span>
        </>
      )}
    </h2>
  );
}

/** A part of a page under a heading; `anchor`: addresses lead to it by its id. */
export function Section(props: SectionProps & { readonly anchor?: boolean }) {
  const { id, say, anchor = false, children } = props;
  return (
    <section class="sec" {...(anchor ? { id } : {})} aria-labelledby={`h-${id}`}>
      <header>
        <Heading {...props} />
        {say !== undefined && <p>{say}</p>}
      </header>
      {children}
    </section>
  );
}

/** A heading with a few words beside it, in one of two columns. */
export function SectionHead(props: SectionProps) {
  return (
    <div class="sechead">
      <Heading {...props} />
      {props.say !== undefined && <p>{props.say}</p>}
    </div>
  );
}

/** A heading and what belongs to it, in a frame. */
export function Card(props: SectionProps & { readonly live?: string }) {
  const { id, live, children } = props;
  const isLive = live === undefined ? {} : { "data-live": live };
  return (
    <section class="card pad" aria-labelledby={`h-${id}`} {...isLive}>
      <Heading {...props} />
      {children}
    </section>
  );
}

/** One line of a list of facts. */
export function Fact({ name, children }: { readonly name: Child; readonly children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface TableProps {
  readonly label: string;
  readonly caption?: string;
  readonly columns: readonly string[];
  /** Those of the columns that have numbers. */
  readonly numbers: readonly string[];
  /** A script brings its rows up to date under this name. */
  readonly live: string;
  readonly children?: Child;
}

/** A table, which scrolls by itself where a screen is narrow. */
export function Table({ label, caption, columns, numbers, live, children }: TableProps) {
  return (
    <div class="scroll" tabindex={0} role="group" aria-label={`${label}, as a table`}>
      <table class="tbl std">
        {caption !== undefined && <caption class="vh">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((name) => (
              <th scope="col" {...(numbers.includes(name) ? { class: "num" } : {})}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-live={live}>{children}</tbody>
      </table>
    </div>
  );
}

interface EventProps {
  readonly at: string;
  readonly now: number;
  readonly mark: { readonly name: MarkName; readonly tone?: string; readonly label: string };
  readonly children?: Child;
}

/** One thing that happened, in a list of them by time. */
export function Event({ at, now, mark, children }: EventProps) {
  return (
    <li class="ev">
      <When at={at} now={now} />
      <Mark {...mark} />
      <div>{children}</div>
    </li>
  );
}

interface PagerProps {
  /** The addresses; null: there is no such page. */
  readonly first: string | null;
  readonly next: string | null;
  /** Of a list by time, or of another one. */
  readonly words?: readonly [first: string, next: string];
}

/** The ways to the first page of a list and to the next one. */
export function Pager({ first, next, words = ["Newest", "Earlier"] }: PagerProps) {
  return (
    <p class="pager">
      {first === null ? <span /> : <LinkButton to={first} word={words[0]} />}
      {next !== null && <LinkButton to={next} word={words[1]} />}
    </p>
  );
}

/** A way to another page that looks like what is pressed. */
export function LinkButton({ to, word }: { readonly to: string; readonly word: string }) {
  return (
    <a class="btn" href={to}>
      {word}
    </a>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly look: "chips" | "spans";
  readonly options: readonly {
    readonly to: string;
    readonly word: Child;
    readonly here: boolean;
  }[];
}

/** One of several views of a page, each under its own address. */
export function Choice({ label, look, options }: ChoiceProps) {
  return (
    <nav class={look} aria-label={label}>
      {options.map(({ to, word, here }) => (
        <a href={to} {...(here ? { "aria-current": "true" } : {})}>
          {word}
        </a>
      ))}
    </nav>
  );
}

/** The spans of time that a chart may show. */
export function SpanChoice(props: {
  readonly spans: Readonly<Record<string, number>>;
  readonly shown: string;
  readonly pathOf: (span: string) => string;
}) {
  const options = Object.keys(props.spans).map((span) => ({
    to: props.pathOf(span),
    word: spacedSpan(span),
    here: span === props.shown,
  }));
  return <Choice label="Span" look="spans" options={options} />;
}

/** `24h` as people write it: `24 h`. */
export function spacedSpan(span: string): string {
  return span.replace(/(\d+)/, "$1 ");
}

/** The way back, above a page that is part of another one. */
export function Crumb({ children }: { readonly children?: Child }) {
  return (
    <p class="crumb">
      <a href="/">Overview</a> <span>/</span> {children}
    </p>
  );
}
