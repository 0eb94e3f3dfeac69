/** What functions of several sizes do with short chats, long streams and large requests. */
import { cpuShare } from '../harness/chat-bundle.ts';
import type { Environment } from '../harness/environment.ts';
import { median, percentile } from '../harness/figures.ts';
import { type ChatRequest, chatBody, type Reply } from '../harness/load.ts';
import type { ProcessUsage } from '../harness/process.ts';
import type { CpuQuota } from './cpu-quota.ts';

export interface LimitedFunction {
  memoryMb: number;
  invoke(request: ChatRequest): Promise<Reply>;
  usage(): Promise<ProcessUsage>;
  stop(): Promise<void>;
}

export interface Limits {
  memoryMb: number;
  quota: CpuQuota | null;
}

/** Lambda initializes a function with a whole CPU, so the limit comes after the import. */
export async function startFunction(
  environment: Environment,
  { memoryMb, quota }: Limits,
): Promise<LimitedFunction> {
  const { client, startGateway } = environment;
  const gateway = await startGateway({ memoryMb, variables: { INPUT: 'event' } });
  const removeLimit = quota?.limit(gateway.pid, cpuShare(memoryMb));
  return {
    memoryMb,
    invoke: (request) => client.send({ url: gateway.origin, body: functionUrlEvent(chatBody(request)) }),
    usage: gateway.usage,
    async stop() {
      await gateway.stop();
      removeLimit?.();
    },
  };
}

/** The same request to the provider itself. */
export function callDirectly({ client, directUrl }: Environment, request: ChatRequest): Promise<Reply> {
  return client.send({ url: directUrl, body: chatBody(request) });
}

function functionUrlEvent(body: Buffer): Buffer {
  const path = '/ai/chat/completions';
  const event = {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: { authorization: `Bearer pt_live_${'a'.repeat(32)}`, 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST', path } },
    body: body.toString(),
    isBase64Encoded: false,
  };
  return Buffer.from(JSON.stringify(event));
}

/** The provider takes 20 ms, one period of the quota, so that no request finds the quota used up by the one before. */
const completion: ChatRequest = { stream: false, delayMs: 20, chunks: 50 };
const stream: ChatRequest = { stream: true, delayMs: 20, chunks: 3 };

/** The first request of an environment: the median of several. */
export async function firstRequestMs(
  environment: Environment,
  limits: Limits,
  starts: number,
): Promise<number> {
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const fresh = await startFunction(environment, limits);
    times.push((await fresh.invoke(completion)).totalMs);
    await fresh.stop();
  }
  return median(times);
}

export interface Added {
  p50: number;
  p99: number;
}

export interface ShortChats {
  added: Added;
  firstTokenAdded: Added;
  cpuMs: number;
  /** Time for which the function runs on after the end of its response. */
  afterResponseMs: number;
}

export async function measureShortChats(
  environment: Environment,
  functions: readonly LimitedFunction[],
  rounds: number,
): Promise<ShortChats[]> {
  const inTurn = (request: ChatRequest, times = rounds) => callInTurn(environment, functions, request, times);
  await inTurn(stream, Math.ceil(rounds / 4));
  await inTurn(completion, Math.ceil(rounds / 4));
  const before = await Promise.all(functions.map(readCosts));
  const completions = await inTurn(completion);
  const after = await Promise.all(functions.map(readCosts));
  const streams = await inTurn(stream);
  const perRequest = (index: number, cost: 'cpuMs' | 'afterResponseMs') =>
    ((after[index]?.[cost] ?? 0) - (before[index]?.[cost] ?? 0)) / rounds;
  return functions.map((_, index) => ({
    added: addedBy(completions, index, ({ totalMs }) => totalMs),
    firstTokenAdded: addedBy(streams, index, ({ firstByteMs }) => firstByteMs),
    cpuMs: perRequest(index, 'cpuMs'),
    afterResponseMs: perRequest(index, 'afterResponseMs'),
  }));
}

interface Replies {
  direct: Reply[];
  /** Of each function. */
  gateway: Reply[][];
}

async function callInTurn(
  environment: Environment,
  functions: readonly LimitedFunction[],
  request: ChatRequest,
  rounds: number,
): Promise<Replies> {
  const replies: Replies = { direct: [], gateway: functions.map(() => []) };
  for (let round = 0; round < rounds; round += 1) {
    replies.direct.push(await callDirectly(environment, request));
    for (const [index, { invoke }] of functions.entries()) {
      replies.gateway[index]?.push(await invoke(request));
    }
  }
  return replies;
}

/** The differences of the percentiles, not the percentiles of the differences: callers experience the sum. */
function addedBy({ direct, gateway }: Replies, index: number, msOf: (reply: Reply) => number): Added {
  const added = (share: number) =>
    percentile((gateway[index] ?? []).map(msOf), share) - percentile(direct.map(msOf), share);
  return { p50: added(0.5), p99: added(0.99) };
}

async function readCosts({ usage }: LimitedFunction) {
  const { cpuMicros, counts } = await usage();
  return { cpuMs: cpuMicros / 1000, afterResponseMs: (counts.afterResponseMicros ?? 0) / 1000 };
}

export const longStream = { chunks: 300, gapMs: 20 };

export interface LongStreams {
  /** How much later the caller receives the end than the provider has sent it. */
  laterMs: number;
  cpuMs: number;
}

/**
 * In all functions at once, which together use a few hundredths of a CPU. Every function gets a response of another length,
 * by which its end is found at the upstream.
 */
export async function measureLongStreams(
  { upstream }: Environment,
  functions: readonly LimitedFunction[],
  rounds: number,
): Promise<LongStreams[]> {
  const before = await Promise.all(functions.map(readCosts));
  const later = functions.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const replies = await Promise.all(
      functions.map(({ invoke }, index) =>
        invoke({ stream: true, chunks: longStream.chunks + index, gapMs: longStream.gapMs }),
      ),
    );
    const { counts: endedAtMs } = await upstream.usage();
    for (const [index, reply] of replies.entries()) {
      later[index]?.push(reply.endedAtMs - (endedAtMs[longStream.chunks + index] ?? 0));
    }
  }
  const after = await Promise.all(functions.map(readCosts));
  return functions.map((_, index) => ({
    laterMs: median(later[index] ?? []),
    cpuMs: ((after[index]?.cpuMs ?? 0) - (before[index]?.cpuMs ?? 0)) / rounds,
  }));
}

const mebibyte = 1024 * 1024;

export const largeRequests: { name: string; bytes: number; text?: string }[] = [
  { name: '1 kB', bytes: 1000 },
  { name: '1 MB', bytes: mebibyte },
  { name: '6 MB', bytes: 6 * mebibyte },
  // V8 stores a string with a single such character in two bytes for each.
  { name: '6 MB with typographic quotes', bytes: 6 * mebibyte, text: 'He said “tell me more”. ' },
];

export interface LargeRequestCost {
  addedMs: number;
  peakRssMb: number;
}

/** In a process of its own. `null` if Node runs out of memory. */
export async function measureLargeRequest(
  environment: Environment,
  limits: Limits,
  { bytes, text }: (typeof largeRequests)[number],
  times: number,
): Promise<LargeRequestCost | null> {
  const request: ChatRequest = { ...completion, bytes, text };
  const fresh = await startFunction(environment, limits);
  try {
    // The first request warms up.
    await fresh.invoke(request);
    const { direct, gateway } = await callInTurn(environment, [fresh], request, times);
    const totalOf = (replies: Reply[] = []) => median(replies.map(({ totalMs }) => totalMs));
    const { peakRssBytes } = await fresh.usage();
    return { addedMs: totalOf(gateway[0]) - totalOf(direct), peakRssMb: peakRssBytes / mebibyte };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') return null;
    throw error;
  } finally {
    await fresh.stop();
  }
}
