/** Usage that is not what the protocol promises, in the events of all protocols. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { UsageKind } from '#lambdas/pricing/usage.ts';
import { exampleCompletion, type Protocol, responseFormats } from './response-formats.ts';

interface UsageNames {
  field: string;
  input: string;
  output: string;
  total: string;
  details: JsonObject;
}

const names: Record<Protocol, UsageNames> = {
  openai: {
    field: 'usage',
    input: 'prompt_tokens',
    output: 'completion_tokens',
    total: 'total_tokens',
    details: { prompt_tokens_details: { cached_tokens: 4 } },
  },
  anthropic: {
    field: 'usage',
    input: 'input_tokens',
    output: 'output_tokens',
    total: 'total_tokens',
    details: { cache_read_input_tokens: 4 },
  },
  google: {
    field: 'usageMetadata',
    input: 'promptTokenCount',
    output: 'candidatesTokenCount',
    total: 'totalTokenCount',
    details: { cachedContentTokenCount: 4 },
  },
  bedrock: {
    field: 'usage',
    input: 'inputTokens',
    output: 'outputTokens',
    total: 'totalTokens',
    details: { cacheReadInputTokens: 4 },
  },
};

/** `undefined` for no usage at all. */
type Report = (names: UsageNames) => unknown;

const counts =
  (input: unknown, output: unknown, total?: unknown): Report =>
  (of) => {
    const usage = { [of.input]: input, [of.output]: output, [of.total]: total };
    return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined));
  };

/** Without counts that can be used. */
const unusable: Record<string, Report> = {
  absent: () => undefined,
  'an empty object': () => ({}),
  'a list': () => [],
  nulls: counts(null, null, null),
  'details only': ({ details }) => details,
  text: counts('19', '5', '24'),
  'negative numbers': counts(-1, -1),
  'numbers that no request has': counts(1.5, 1e30),
  zeros: counts(0, 0, 0),
};

const partial: Record<string, { report: Report; tokens: Tokens }> = {
  'the input only': {
    report: counts(19, undefined),
    tokens: { input_tokens: 19, output_tokens: 0, missing_usage: ['output_tokens'] },
  },
  'an output that cannot be read': {
    report: counts(19, '5'),
    tokens: { input_tokens: 19, output_tokens: 0, missing_usage: ['output_tokens'] },
  },
  'no output beside text': {
    report: counts(19, 0),
    tokens: { input_tokens: 19, output_tokens: 0, missing_usage: ['output_tokens'] },
  },
  'no input beside output': {
    report: counts(0, 5),
    tokens: { input_tokens: 0, output_tokens: 5, missing_usage: ['input_tokens'] },
  },
  'the output only': {
    report: counts(undefined, 5),
    tokens: { input_tokens: 0, output_tokens: 5, missing_usage: ['input_tokens'] },
  },
};

interface Tokens {
  input_tokens: number;
  output_tokens: number;
  missing_usage: UsageKind[] | null;
}

interface ReportedUsage {
  title: string;
  report: Report;
  /** The log entry of a whole response with this usage. */
  entry: Tokens & { usage_source: string };
}

export const reportedUsages: readonly ReportedUsage[] = [
  ...Object.entries(unusable).map(([title, report]) => ({
    title,
    report,
    // Nine and eleven bytes of text.
    entry: { usage_source: 'estimated', input_tokens: 3, output_tokens: 3, missing_usage: null },
  })),
  ...Object.entries(partial).map(([title, { report, tokens }]) => ({
    title,
    report,
    entry: { usage_source: 'incomplete', ...tokens },
  })),
];

/** Dollars per million tokens of input and output, for the models of `responseFormats`. */
export const exampleRates: Record<Protocol, { input: number; output: number }> = {
  openai: { input: 0.15, output: 0.6 },
  anthropic: { input: 3, output: 15 },
  google: { input: 0.3, output: 2.5 },
  bedrock: { input: 0.06, output: 0.24 },
};

/** The output as reported, beside 19 input tokens. */
export const outputOf = (tokens: number): Report => counts(19, tokens);

/** Totals beside 19 input and 5 output tokens that contradict them. */
export const contradictingTotals: Readonly<Record<string, Report>> = {
  larger: counts(19, 5, 30),
  smaller: counts(19, 5, 1),
};

export function wholeWith(protocol: Protocol, { report }: Pick<ReportedUsage, 'report'>): JsonObject {
  return withUsage(responseFormats[protocol].whole(exampleCompletion), report, names[protocol]);
}

/** The events of a stream, with the terminator. */
export function eventsWith(protocol: Protocol, { report }: Pick<ReportedUsage, 'report'>): Buffer[] {
  const reported = responseFormats[protocol]
    .events(exampleCompletion)
    .map((event) => withUsage(event, report, names[protocol]))
    // A chunk for the usage alone has no choices.
    .filter((event) => !(Array.isArray(event.choices) && event.choices.length === 0 && !('usage' in event)));
  return encodeStream(protocol, reported);
}

/** The events of a stream whose first usage has 19 input and 9 output tokens, and whose last one the usual 5. */
export function eventsWithDecreasingOutput(protocol: Protocol): Buffer[] {
  const of = names[protocol];
  const earlier = counts(19, 9, 28);
  const events = responseFormats[protocol].events(exampleCompletion);
  const [first = {}, ...others] = events;
  if (protocol !== 'bedrock') {
    return encodeStream(protocol, [withUsage({ ...first, [of.field]: {} }, earlier, of), ...others]);
  }
  // Nothing after the stop reason and the usage is read.
  const last = events.at(-1) ?? {};
  return encodeStream(protocol, [first, withUsage(last, earlier, of), last, ...others.slice(0, -1)]);
}

function encodeStream(protocol: Protocol, events: readonly JsonObject[]): Buffer[] {
  const { encode, terminator } = responseFormats[protocol];
  return [...events.map(encode), ...(terminator === null ? [] : [Buffer.from(terminator)])];
}

/** Replaces the usage at any depth. */
function withUsage(value: JsonObject, report: Report, of: UsageNames): JsonObject {
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (name === of.field) return [name, report(of)];
    return [name, isJsonObject(member) ? withUsage(member, report, of) : member];
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
