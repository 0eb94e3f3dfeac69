/** Starts the compared implementations and measures each under a load. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../harness/environment.ts';
import { median } from '../harness/figures.ts';
import { directoryTables } from '../harness/limited-keys.ts';
import { type ChatRequest, chatBody, messagesBody, responsesBody, runClosedLoop } from '../harness/load.ts';
import { type BenchProcess, startProcess } from '../harness/process.ts';
import { competitorHeaders, startCompetitor } from './competitor.ts';

/** The operations whose requests are forwarded byte for byte, with their bodies. */
const nativeBodies = { messages: messagesBody, responses: responsesBody };

export type NativeOperation = keyof typeof nativeBodies;

/** Requests that are translated for another API, which is Google's, by the path of their operation. */
const translatedBodies = {
  translatedChat: { path: 'chat/completions', createBody: chatBody },
  translatedMessages: { path: 'messages', createBody: messagesBody },
  translatedResponses: { path: 'responses', createBody: responsesBody },
};

export type TranslatedName = keyof typeof translatedBodies;

/**
 * `direct` calls the upstream without a proxy. `gateway` completes log writes in its process, `gatewayWithStore` sends
 * them to a store over loopback. The others like `gateway` have a key with hard budgets or rate limits, whose counters are in
 * a store over loopback. `messages` and `responses` are the process of `gateway` with requests in the formats of these APIs, and
 * `translated…` with requests to Google.
 */
export type ImplementationName =
  | 'direct'
  | 'baseline'
  | 'gateway'
  | 'gatewayWithStore'
  | NativeOperation
  | TranslatedName
  | 'oneHardBudget'
  | 'twoHardBudgets'
  | 'rateLimits'
  | 'competitor';

export interface Implementation {
  name: ImplementationName;
  process: BenchProcess;
  url: string;
  headers: Record<string, string>;
  createBody(request: ChatRequest): Buffer;
}

const memoryMb = 256;

export async function startImplementations(environment: Environment): Promise<Implementation[]> {
  const { upstream } = environment;
  const baseline = await startProcess('overhead/baseline.ts', { UPSTREAM: upstream.origin });
  const competitor = await startCompetitor();
  const implementations = [
    directCalls(environment),
    openAiCompatible('baseline', baseline),
    await startGateway(environment),
    gatewayImplementation('gatewayWithStore', await environment.startGateway({ memoryMb })),
  ];
  if (competitor === null) return implementations;
  return [...implementations, openAiCompatible('competitor', competitor, competitorHeaders(upstream.origin))];
}

export async function startGateway(environment: Environment): Promise<Implementation> {
  const variables = { STORE: 'in-process' };
  return gatewayImplementation('gateway', await environment.startGateway({ memoryMb, variables }));
}

/** The key has no limits, a hard budget of its own, also one of its organization, or all rate limits. */
export const limitImplementations = ['gateway', 'oneHardBudget', 'twoHardBudgets', 'rateLimits'] as const;

export async function startWithLimits(
  environment: Environment,
  name: (typeof limitImplementations)[number],
): Promise<Implementation> {
  if (name === 'gateway') return startGateway(environment);
  const variables = { STORE: 'in-process', DIRECTORY_TABLE: directoryTables[name] };
  return gatewayImplementation(name, await environment.startGateway({ memoryMb, variables }));
}

export function directCalls({ upstream }: Environment): Implementation {
  return openAiCompatible('direct', upstream);
}

function openAiCompatible(
  name: ImplementationName,
  process: BenchProcess,
  headers: Record<string, string> = {},
): Implementation {
  const url = `${process.origin}/v1/chat/completions`;
  return {
    name,
    process,
    url,
    headers: { authorization: 'Bearer sk-bench', ...headers },
    createBody: chatBody,
  };
}

function gatewayImplementation(name: ImplementationName, process: BenchProcess): Implementation {
  const headers = { authorization: `Bearer pt_live_${'0'.repeat(32)}` };
  return { name, process, url: `${process.origin}/ai/chat/completions`, headers, createBody: chatBody };
}

export function nativeOf({ process, headers }: Implementation, name: NativeOperation): Implementation {
  return { name, process, url: `${process.origin}/ai/${name}`, headers, createBody: nativeBodies[name] };
}

export function translatedOf({ process, headers }: Implementation, name: TranslatedName): Implementation {
  const { path, createBody } = translatedBodies[name];
  return {
    name,
    process,
    url: `${process.origin}/ai/${path}`,
    headers,
    createBody: (request) => createBody({ ...request, provider: 'google' }),
  };
}

export interface Load extends ChatRequest {
  concurrency: number;
  requests: number;
}

/** In milliseconds, one sample per request. */
export interface Timings {
  total: number[];
  firstByte: number[];
}

export async function runLoad(
  { client }: Environment,
  { url, headers, createBody }: Implementation,
  load: Load,
): Promise<Timings> {
  const body = createBody(load);
  const timings = await runClosedLoop(load, async () => {
    const { totalMs, firstByteMs } = await client.send({ url, headers, body });
    return { totalMs, firstByteMs };
  });
  return {
    total: timings.map(({ totalMs }) => totalMs),
    firstByte: timings.map(({ firstByteMs }) => firstByteMs),
  };
}

interface Measurement {
  timings: Timings;
  /** CPU time per request: the median of the rounds. */
  cpuMicros: number;
}

export type Results = Partial<Record<ImplementationName, Measurement>>;

/** Time for work after the last response, such as log writes. */
const settleMs = 50;

/** Runs the implementations in turn, round after round, so that other work on the machine affects all of them. */
export async function compare(
  environment: Environment,
  implementations: readonly Implementation[],
  load: Load,
  rounds: number,
): Promise<Results> {
  const measured = implementations.map((): { timings: Timings; cpuMicros: number }[] => []);
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, implementation] of implementations.entries()) {
      const before = await implementation.process.usage();
      const timings = await runLoad(environment, implementation, load);
      await wait(settleMs);
      const after = await implementation.process.usage();
      const cpuMicros = (after.cpuMicros - before.cpuMicros) / load.requests;
      if (round > 0) measured[index]?.push({ timings, cpuMicros });
    }
  }
  const results: Results = {};
  for (const [index, { name }] of implementations.entries()) {
    const all = measured[index] ?? [];
    results[name] = {
      timings: {
        total: all.flatMap(({ timings }) => timings.total),
        firstByte: all.flatMap(({ timings }) => timings.firstByte),
      },
      cpuMicros: median(all.map(({ cpuMicros }) => cpuMicros)),
    };
  }
  return results;
}
