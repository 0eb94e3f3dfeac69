/** Sends the calls of a split request, and joins their responses. Loaded for the few requests that are split. */
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import type { GatewayError } from '#lambdas/platform/errors.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { addUsage } from '#lambdas/pricing/usage.ts';
import { type KnownFacts, noFacts, type ResponseFacts } from '../completion/facts.ts';
import type { RequestPart, SplitRequest } from '../operation.ts';
import type { Provider } from '../providers/provider.ts';
import type { Exchange } from './exchange.ts';
import { isCostReserved, nothingRelayed, type RelayResult, readBody } from './read-response.ts';
import { type SendDependencies, type SendResult, send } from './send.ts';

/** Few enough for the rate limits of a provider, and many enough to keep the caller from waiting long. */
const concurrentCalls = 4;

interface RelayedParts {
  /** The call that the log entry names: the one that failed, or else the first. */
  sent: SendResult;
  /** The retries of all calls. */
  retries: number;
  /** The calls that were sent, without retries. */
  calls: number;
  relayed: RelayResult;
  /** For the caller; `null` after an error or a disconnect. */
  body: Buffer | null;
}

interface SentPart {
  sent: SendResult;
  body: Buffer;
  known: KnownFacts;
  error: GatewayError | null;
  providerRespondedAtMs: number | null;
}

/**
 * Sends the first call, and no further one after one has failed or the caller has disconnected. Reads those on their way to
 * their ends. The facts are those of all calls that were sent, since the provider charges for each of them.
 */
export async function relayParts(
  dependencies: SendDependencies,
  exchange: Readonly<Exchange>,
  { provider, split }: { provider: Provider; split: SplitRequest },
): Promise<RelayedParts> {
  const { response } = exchange;
  const { limits, now } = dependencies;
  // The caller gets no byte before the last call has ended, which must be before an idle connection is closed.
  const deadlineMs = Math.min(exchange.deadlineMs, now().getTime() + limits.firstByteMs);
  const limited = { ...exchange, deadlineMs };
  const results: SentPart[] = [];
  const failures: SentPart[] = [];
  await forEachConcurrently(split.parts.entries(), concurrentCalls, async ([index, part]) => {
    if (index > 0 && (failures.length > 0 || response.clientDisconnected)) return;
    const result = await sendPart(dependencies, limited, { provider, part });
    results[index] = result;
    if (result.error !== null) failures.push(result);
  });
  const [first, ...others] = Object.values(results);
  if (first === undefined) throw new Error('The first call of a split request is always sent');
  const [failed] = failures;
  const all = [first, ...others];
  const known = addFacts(all.map((part) => part.known));
  const relayed = { ...nothingRelayed, ...known, providerRespondedAtMs: lastResponse(all) };
  const calls = { sent: (failed ?? first).sent, calls: all.length, retries: sumRetries(all), body: null };
  // After a disconnect, there is no caller to report an error to.
  if (response.clientDisconnected) return { ...calls, relayed };
  if (failed !== undefined) return { ...calls, relayed: { ...relayed, error: failed.error } };
  const body = split.join(
    all.map((part) => part.body),
    known.isUsageEstimated ? { ...known.facts, usage: null } : known.facts,
  );
  return { ...calls, relayed, body };
}

const noBytes = Buffer.alloc(0);

async function sendPart(
  dependencies: SendDependencies,
  exchange: Readonly<Exchange>,
  { provider, part }: { provider: Provider; part: RequestPart },
): Promise<SentPart> {
  const { limits, now } = dependencies;
  const sent = await send(dependencies, exchange, provider, part.prepared);
  const { response, watch, failureReadAtMs } = sent;
  if (response.kind === 'failure') {
    const known = response.mayBeCharged ? part.estimateInput() : nothingRelayed;
    return { sent, body: noBytes, known, error: response.error, providerRespondedAtMs: failureReadAtMs };
  }
  const { outputLimit } = sent.prepared;
  const read = await readBody(exchange, response, { watch, limits, now }).finally(watch.stop);
  const { facts } = response.reader;
  const isReserved = isCostReserved(exchange);
  const known = await part.completeUsage({ facts, textBytes: () => 0, isReserved, outputLimit });
  return { sent, known, ...read };
}

/** The usage of all calls together, and the other facts of the first call that states them. */
function addFacts(parts: readonly KnownFacts[]): KnownFacts {
  const facts = parts.map((part) => part.facts);
  return {
    facts: {
      ...facts.reduce(mergeFacts, noFacts),
      usageWarnings: [...new Set(facts.flatMap(({ usageWarnings }) => usageWarnings))],
      pricingGaps: [...new Set(facts.flatMap(({ pricingGaps }) => pricingGaps))],
      // A cost that not all responses state is calculated for all of them.
      reportedCostUsd: facts
        .map(({ reportedCostUsd }) => reportedCostUsd)
        .reduce((sum, cost) => (sum === null || cost === null ? null : addUsd(sum, cost))),
    },
    isUsageEstimated: parts.some(({ isUsageEstimated }) => isUsageEstimated),
  };
}

function mergeFacts(sum: ResponseFacts, facts: ResponseFacts): ResponseFacts {
  const usage =
    sum.usage === null || facts.usage === null
      ? (sum.usage ?? facts.usage)
      : addUsage(sum.usage, facts.usage);
  return {
    ...facts,
    usage,
    responseModel: sum.responseModel ?? facts.responseModel,
    serviceTier: sum.serviceTier ?? facts.serviceTier,
    // The joined response has none.
    responseId: null,
  };
}

function lastResponse(parts: readonly SentPart[]): number | null {
  const times = parts.flatMap(({ providerRespondedAtMs }) => providerRespondedAtMs ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

function sumRetries(parts: readonly SentPart[]): number {
  return parts.reduce((sum, { sent }) => sum + sent.retries, 0);
}
