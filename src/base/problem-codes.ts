/**
 * What can be wrong with a file that people write, by the code that its problem carries: what it means, and
 * what to do. docs/errors.md is made of it.
 */
export const PROBLEM_CODES = {
  "always-muted":
    "The windows of a mute cover the whole week, so a channel muted by it never sends anything. Leave a gap.",
  "always-true":
    "No value can make the condition false, so the alert would fire for ever. Change the limit.",
  "bad-across":
    "The values of these subjects cannot be combined: they are not numbers, count different things, or have no sum. Use another metric, min or max, or no across.",
  "bad-call":
    "The function or its arguments cannot be called as they are written. Write the types as the contract has them, and one argument for each.",
  "bad-duration":
    "The text is not a duration. Write a number with its unit, such as 30s, 5m or 1h30m.",
  "bad-event":
    "The simulated market cannot do what an event of a scenario asks for. Name a pool, a token or a position that it has.",
  "bad-host": "The text is not a host, or has no port where the key needs one.",
  "bad-id": "The id or address has the wrong length or form. Copy it again from its source.",
  "bad-name":
    "The text cannot be a name here: it is reserved, empty to the eye, or has characters that names do not have. Choose another.",
  "bad-percentile":
    "A percentile cannot be used here or is out of its range. Write p0.001 to p100 as the limit of above, below, at_least, at_most, inside, outside or crosses.",
  "bad-port":
    "Nothing answers at the port of this address, or its scheme does not go with the port. Check both.",
  "bad-range": "inside and outside take a list of two limits, the lower one first, such as [1, 2].",
  "bad-rules-pattern":
    "The pattern under rules matches no rules file, or cannot be used. It starts at the folder of the configuration and knows *, ** and ?.",
  "bad-schedule":
    "The text is not a schedule. Write a duration that divides a minute, an hour or a day (15s, 5m, 6h), a cron expression in quotes, or, where a node is asked, block.",
  "bad-series":
    "The values of a rule test cannot be read as a series. Write steps such as 1 2 3, 5x10, 100+10x5, _, absent or fail.",
  "bad-setting":
    "The value does not have the form that the service, mail server or channel needs. Copy it again, alone: without quotes, prefix or spaces.",
  "bad-step": "This step of a rule test cannot be carried out. Write one action with its time.",
  "bad-template":
    "The title or note is a template with a mistake. Look at the character that the message names.",
  "bad-time":
    "The text is not a time of day, a date or a span as this key needs it, or the span is empty.",
  "bad-url":
    "The address cannot be used: wrong scheme, a part that does not belong there, or credentials in it.",
  "bad-yaml": "The line is not valid YAML. The message says what YAML reads there.",
  "below-schedule":
    "The duration is shorter than the time between two rounds of the rule, so it does not do what it says. Make it longer, or the schedule shorter.",
  "cannot-share":
    "Several daemons cannot keep to this limit together: each sends one request at a time, and a whole number of requests a second. Allow as many as there are daemons, or run one daemon.",
  "chain-not-served":
    "The service does not promise answers for this chain. The rule may stay without data.",
  "comment-cuts-value":
    "In YAML a # after a space begins a comment: the value ends before it. Quote the value; begin real comments with # and a space.",
  "curly-quotes": "Curly quotes are part of the text to YAML. Use straight quotes, \" or '.",
  "decimals-differ":
    "A token has one number of decimals, and the rules give two. Correct the wrong one.",
  "duplicate-key": "The key appears twice in one map. Remove one of them.",
  "duplicate-name": "Names are unique over all files, and this one is taken. Choose another name.",
  "duplicate-target": "The rule names the same target twice. It is watched once.",
  "edge-of-range":
    "A price at the edge of a range makes such an alert fire and resolve again and again, or resolve while the price is outside. Add for and resolve_after, or use below.",
  empty: "The file, list or text is empty. Write what the message expects, or remove the key.",
  "for-too-long":
    "A single change stays in its window for less time than for asks. Use a shorter for or a longer window.",
  "gate-never-opens":
    "The rule that this gate names can never open it: it sends events, watches other chains, or needs this rule itself. Name another rule.",
  incomparable:
    "The value and the reference count different things, or the same price in the two directions.",
  "key-conflict": "The two keys exclude each other. Keep one of them.",
  "matches-no-rule": "The route or report asks for something that no rule has. Check its spelling.",
  "metric-no-number":
    "The metric is not a single number, so it cannot be compared in this way. Use equals or not_equals, or another metric.",
  "misplaced-key": "The key has no use here: the key that it belongs to is missing.",
  "missing-brackets": "Several values need brackets to be a list: [1, 137].",
  "missing-key": "A required key or part is missing. Add it.",
  "needs-across":
    "A reference is one value, and its watch has several subjects. Name one subject, or add across.",
  "needs-base-url":
    "The kind of watch is served at an address that the configuration does not give. Add it under service.",
  "needs-decimals":
    "An amount of tokens needs the token's decimals. Write decimals in the watch, or legacy_base_url under service.",
  "needs-node":
    "The kind of watch is read from an EVM node, and the configuration has a service. Write rpc with your nodes in place of its addresses.",
  "needs-percent": "The number was almost certainly meant as a percentage. Write it with its %.",
  "needs-quotes":
    "YAML reads the first character of this value as its own sign. Put the value in quotes.",
  "needs-token":
    "The web server is reachable from other machines and would answer anybody. Add a token.",
  "needs-window": "A change or a percentile is measured over time. Add within or since.",
  "never-true":
    "No value can make the condition true, so the alert could never fire. Change the limit.",
  "no-direction":
    "worse_by says how much further a value must go, and this condition has no direction.",
  "no-effect": "The key changes nothing here. Remove it, or add what it needs.",
  "no-encryption":
    "The connection is not encrypted, so the network can read and change what goes over it. Use TLS, or a host of this machine.",
  "no-own-time":
    "The records of this kind do not say when they last changed. Use unchanged, which looks at the values.",
  "no-rules": "There is no rule to watch or to test. Add one, or correct the pattern under rules.",
  "not-a-number": "A number is needed here. Write digits with a point for decimals.",
  "not-enabled": "The rule has enabled: false, so it is not watched and opens no gate.",
  "not-for-events":
    "An event (changes, crosses, an entry of a stream) is over at once, and the key or condition needs a state that lasts.",
  "nothing-given":
    "A rule test gives no value for a subject of its rules. Add one under values or answers.",
  "number-format":
    "The number is written in another notation. Use a point before decimals, and _ or nothing between groups of digits.",
  "odd-cron":
    "The cron expression does something else than it seems to say. The message says what.",
  "only-channel":
    "Failed deliveries are reported through the other channels, and there is no other. Add a second one.",
  "out-of-range": "The number, duration or text is outside the allowed range.",
  overlap: "Some values make both when and resolve_when true. Leave a gap between the two limits.",
  "part-not-points":
    "A percentage of a metric that is a share itself means a part of the value before, not points. For points write a plain number.",
  "plain-http": "The API key would travel unencrypted. Use an https address.",
  "secret-in-file":
    "A secret is written in the file itself. Move it to an environment variable or a file, and write ${env:NAME} or ${file:PATH}.",
  "secret-in-rules":
    "Rules are stored and sent, so they take no references to secrets. Keep secrets in config.yaml.",
  "secret-missing":
    "The environment variable or file that a reference names is missing, empty or unreadable.",
  "strange-character":
    "The value has a character that is invisible or cannot be sent, usually from copying. The message gives its position.",
  "tells-nobody": "No channel would be notified. Add a channel or a route.",
  "timeout-too-long":
    "A request that hangs would hold up the rounds of a rule. Use a shorter timeout, or none.",
  "too-large": "The file is too large or too deeply nested to be read.",
  "too-long": "The text or the list is longer than allowed.",
  "unknown-chain": "The text is not a chain. Write a name such as ethereum, or the chain's number.",
  "unknown-channel":
    "No channel of this name is configured. Add it under channels, or correct the name.",
  "unknown-fact": "The template names something that notices do not have; it would stay empty.",
  "unknown-field": "The record has no such field.",
  "unknown-key": "The key is not known at this place. Check its spelling and its indentation.",
  "unknown-kind": "There is no watch or channel of this kind.",
  "unknown-list": "No rules file has a list of this name under lists.",
  "unknown-metric": "The watch kind has no metric of this name.",
  "unknown-reference":
    "No rules file has a reference of this name, or ${…} names neither env nor file.",
  "unknown-rule": "There is no rule of this name.",
  "unknown-subject": "No rule of the test watches this.",
  "unknown-word": "The word is not one of those allowed here.",
  "unreadable-file": "The file is missing, may not be read, or is not UTF-8 text.",
  unused: "Nothing uses this. Remove it, or correct the name where it should be used.",
  "window-too-short":
    "The window holds too few rounds to measure anything. Make it longer, or the schedule shorter.",
  "wrong-checksum":
    "The upper and lower case of the address do not match its checksum, so a character is probably wrong.",
  "wrong-kind-of-file":
    "A configuration was given where rules are expected, or the other way round.",
  "wrong-type": "A text, list or map was given where another type is expected.",
  "wrong-unit": "The unit does not fit the metric, or could be read in two ways.",
} as const satisfies Readonly<Record<string, string>>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEM_CODES, text);
}
