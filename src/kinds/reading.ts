import { chainById, chainName } from "../base/chains.ts";
import type { Answer, Ask, RangeFacts, RawRecord, Subject } from "../model/index.ts";
import { answerTrouble, joinTroubles, recordOf } from "./fields.ts";
import type { Description, Mark, Reading, Row } from "./kind.ts";

/** What readings have in common: one answer, of which the kind says what it means. */
export abstract class BaseReading implements Reading {
  abstract readonly rows: readonly Row[];
  readonly closed: boolean = false;
  /** The answer's only record; null where there is none. */
  protected readonly record: RawRecord | null;

  constructor(
    protected readonly subject: Subject,
    private readonly recordName: Ask["record"],
    protected readonly answer: Answer | undefined,
  ) {
    this.record = recordOf(answer);
  }

  get absent(): boolean {
    return this.answer?.status === "absent";
  }

  get unanswered(): Ask["record"] | null {
    return this.answer?.status === "failed" ? this.recordName : null;
  }

  get trouble(): string | null {
    return this.record === null
      ? answerTrouble(this.answer)
      : joinTroubles(this.troublesOf(this.record));
  }

  marks(): readonly Mark[] {
    return [];
  }

  decimals(_metric: string): number | null {
    return null;
  }

  describe(): Description {
    const { chainId } = this.subject;
    const explorer = chainById(chainId)?.explorer;
    const page = this.page();
    return {
      label: this.label(),
      chain: chainName(chainId),
      link: explorer === undefined || page === null ? null : explorer + page,
      range: this.range(),
      unit: (metric) => this.unit(metric),
    };
  }

  /** Why values of a good record are missing, each in clean words. */
  protected abstract troublesOf(record: RawRecord): readonly string[];

  /** As of `Description`. */
  protected abstract label(): string;

  /** The subject's page below the explorer's address; null where there is none. */
  protected page(): string | null {
    return null;
  }

  protected range(): RangeFacts | null {
    return null;
  }

  protected unit(_metric: string): string {
    return "";
  }
}
