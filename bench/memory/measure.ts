import { cpuShare } from '../harness/chat-bundle.ts';
import type { Environment } from '../harness/environment.ts';
import { median, percentile } from '../harness/figures.ts';
import { type ChatRequest, chatBody, type TimedResponse } from '../harness/load.ts';
import type { ProcessUsage } from '../harness/process.ts';
import type { CpuQuota } from './cpu-quota.ts';

export interface LimitedFunction {
  memoryMb: number;
  invoke(request: ChatRequest): Promise<TimedResponse>;
  usage(): Promise<ProcessUsage>;
  stop(): Promise<void>;
}

interface Limits {
  memoryMb: number;
  quota: CpuQuota | null;
}

/** Applies the CPU limit after the import, since Lambda initializes functions with a full CPU. */
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

function sendDirectly({ client, directUrl }: Environment, request: ChatRequest): Promise<TimedResponse> {
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

/** The provider takes 20 ms, one quota period, so that no request uses up the quota of the next one. */
const completion: ChatRequest = { stream: false, delayMs: 20, chunks: 50 };
const stream: ChatRequest = { stream: true, delayMs: 20, chunks: 3 };

/** Returns the median duration of the first request after a cold start. */
export async function measureFirstRequest(
  environment: Environment,
  limits: Limits,
  starts: number,
): Promise<number> {
  const samplesMs: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const limitedFunction = await startFunction(environment, limits);
    samplesMs.push((await limitedFunction.invoke(completion)).totalMs);
    await limitedFunction.stop();
  }
  return median(samplesMs);
}

interface AddedLatency {
  p50: number;
  p99: number;
}

interface ShortChats {
  added: AddedLatency;
  firstTokenAdded: AddedLatency;
  cpuMs: number;
  /** Time between the end of the response and the end of the invocation. */
  afterResponseMs: number;
}

export async function measureShortChats(
  environment: Environment,
  functions: readonly LimitedFunction[],
  rounds: number,
): Promise<ShortChats[]> {
  const inTurn = (request: ChatRequest, count = rounds) => sendInTurn(environment, functions, request, count);
  await inTurn(stream, Math.ceil(rounds / 4));
  await inTurn(completion, Math.ceil(rounds / 4));
  const before = await Promise.all(functions.map(readCosts));
  const completions = await inTurn(completion);
  const after = await Promise.all(functions.map(readCosts));
  const streams = await inTurn(stream);
  const perRequest = (index: number, cost: 'cpuMs' | 'afterResponseMs') =>
    ((after[index]?.[cost] ?? 0) - (before[index]?.[cost] ?? 0)) / rounds;
  return functions.map((_, index) => ({
    added: addedLatency(completions, index, ({ totalMs }) => totalMs),
    firstTokenAdded: addedLatency(streams, index, ({ firstByteMs }) => firstByteMs),
    cpuMs: perRequest(index, 'cpuMs'),
    afterResponseMs: perRequest(index, 'afterResponseMs'),
  }));
}

interface Responses {
  direct: TimedResponse[];
  gateway: TimedResponse[][];
}

async function sendInTurn(
  environment: Environment,
  functions: readonly LimitedFunction[],
  request: ChatRequest,
  rounds: number,
): Promise<Responses> {
  const responses: Responses = { direct: [], gateway: functions.map(() => []) };
  for (let round = 0; round < rounds; round += 1) {
    responses.direct.push(await sendDirectly(environment, request));
    for (const [index, { invoke }] of functions.entries()) {
      responses.gateway[index]?.push(await invoke(request));
    }
  }
  return responses;
}

/** Subtracts percentiles instead of taking percentiles of differences, since callers experience the total latency. */
function addedLatency(
  { direct, gateway }: Responses,
  index: number,
  msOf: (response: TimedResponse) => number,
): AddedLatency {
  const difference = (share: number) =>
    percentile((gateway[index] ?? []).map(msOf), share) - percentile(direct.map(msOf), share);
  return { p50: difference(0.5), p99: difference(0.99) };
}

async function readCosts({ usage }: LimitedFunction) {
  const { cpuMicros, counts } = await usage();
  return { cpuMs: cpuMicros / 1000, afterResponseMs: (counts.afterResponseMicros ?? 0) / 1000 };
}

export const longStream = { chunks: 300, gapMs: 20 };

interface LongStreams {
  /** Time between the provider's end of the stream and the caller's. */
  endDelayMs: number;
  cpuMs: number;
}

/**
 * Runs one stream per function concurrently; together they use a few percent of a CPU. Each function gets a stream of a
 * different length, by which the upstream reports the time of its end.
 */
export async function measureLongStreams(
  { upstream }: Environment,
  functions: readonly LimitedFunction[],
  rounds: number,
): Promise<LongStreams[]> {
  const before = await Promise.all(functions.map(readCosts));
  const endDelaysMs = functions.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const responses = await Promise.all(
      functions.map(({ invoke }, index) =>
        invoke({ stream: true, chunks: longStream.chunks + index, gapMs: longStream.gapMs }),
      ),
    );
    const { counts: endedAtMs } = await upstream.usage();
    for (const [index, response] of responses.entries()) {
      endDelaysMs[index]?.push(response.endedAtMs - (endedAtMs[longStream.chunks + index] ?? 0));
    }
  }
  const after = await Promise.all(functions.map(readCosts));
  return functions.map((_, index) => ({
    endDelayMs: median(endDelaysMs[index] ?? []),
    cpuMs: ((after[index]?.cpuMs ?? 0) - (before[index]?.cpuMs ?? 0)) / rounds,
  }));
}

const mebibyte = 1024 * 1024;

export const largeRequests: { name: string; bytes: number; text?: string }[] = [
  { name: '1 kB', bytes: 1000 },
  { name: '1 MB', bytes: mebibyte },
  { name: '6 MB', bytes: 6 * mebibyte },
  // A single such character makes V8 store the whole string with two bytes per character.
  { name: '6 MB with typographic quotes', bytes: 6 * mebibyte, text: 'He said “tell me more”. ' },
];

interface LargeRequestCost {
  addedMs: number;
  peakRssMb: number;
}

/** Uses a separate process. Resolves to `null` when Node runs out of memory. */
export async function measureLargeRequest(
  environment: Environment,
  limits: Limits,
  { bytes, text }: (typeof largeRequests)[number],
  rounds: number,
): Promise<LargeRequestCost | null> {
  const request: ChatRequest = { ...completion, bytes, text };
  const limitedFunction = await startFunction(environment, limits);
  try {
    // Warm-up.
    await limitedFunction.invoke(request);
    const { direct, gateway } = await sendInTurn(environment, [limitedFunction], request, rounds);
    const medianMs = (responses: TimedResponse[] = []) => median(responses.map(({ totalMs }) => totalMs));
    const { peakRssBytes } = await limitedFunction.usage();
    return { addedMs: medianMs(gateway[0]) - medianMs(direct), peakRssMb: peakRssBytes / mebibyte };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') return null;
    throw error;
  } finally {
    await limitedFunction.stop();
  }
}
