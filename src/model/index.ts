/** The nouns of the program. What each one means to a user is written in docs/rules.md. */
export type { Amount } from "../base/amount.ts";
export type { Value } from "../base/decimal.ts";
export type { Quantity } from "../base/quantity.ts";
export {
  type Alert,
  type AlertState,
  type ExtentText,
  type Flaps,
  NOTHING_TOLD,
  type NotificationState,
  type Run,
  type SeriesName,
  type Suppressed,
  type Way,
  type Worst,
} from "./alerts.ts";
export {
  type Answer,
  type Ask,
  type Failure,
  type Family,
  isChain,
  isRecordName,
  type RawRecord,
  RECORD_NAMES,
  RECORDS,
  type Subject,
} from "./asks.ts";
export {
  type AddressedNotice,
  type AlertChange,
  CHANNELS_MARK,
  type Change,
  type ClosedRound,
  CONFIGURATION_MARK,
  type CommandPlace,
  type Cursor,
  type GroupReads,
  NO_CHANGE,
  RELOAD_MARK,
  type RoundReads,
  type RoundRecord,
  type RuleChange,
  type RuleState,
  type ScopeRead,
  type SubjectFacts,
  type SubjectMarks,
  type Unread,
} from "./changes.ts";
export type {
  AmountLimit,
  ChangeComparison,
  Comparison,
  Condition,
  Distance,
  EventComparison,
  Limit,
  LimitComparison,
  PercentileLimit,
  RangeComparison,
  Reference,
  ReferenceAcross,
  ReferenceLimit,
  Severity,
  SilenceComparison,
  Span,
  UnchangedComparison,
} from "./conditions.ts";
export type { Command, MuteWindow, Silence } from "./holds.ts";
export {
  type AboutRule,
  type EntriesTold,
  type LinePicture,
  type Message,
  NOTICE_KINDS,
  type Notice,
  type NoticeEnding,
  type NoticeKind,
  type NoticeValue,
  type RangeFacts,
} from "./notices.ts";
export type { EntryWords, KindWords } from "./rules.ts";
export {
  chainsOf,
  type FlappingLimits,
  type Held,
  type Holdings,
  type Owner,
  type Place,
  type Rule,
  type WorseBy,
} from "./rules.ts";
export type {
  ChannelConfig,
  ClusterConfig,
  ReportConfig,
  RpcChain,
  RpcSettings,
  ServiceConfig,
  Setup,
  StorePlace,
  WebConfig,
} from "./setup.ts";
