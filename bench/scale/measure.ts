/** Measures the steps of a series, and checks every response and every log entry against what was requested. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../harness/environment.ts';
import { type ChatRequest, callerHeaders, chatBody, closedLoop, type Reply } from '../harness/load.ts';
import type { BenchProcess } from '../harness/process.ts';
import type { Point, Series } from './growth.ts';

export interface Request extends ChatRequest {
  organization: number;
}

export interface Load {
  requests: number;
  callers: number;
  request(index: number): Request;
}

export interface LoadFigures {
  totalMs: number[];
  /** CPU time of the gateway for each request. */
  cpuMicros: number;
  rssMb: number;
  /** Incomplete or wrong responses, and log entries that are missing, duplicate, misplaced or have wrong tokens. */
  errors: number;
}

export async function loadGateway(
  environment: Environment,
  gateway: BenchProcess,
  load: Load,
): Promise<LoadFigures> {
  const { counts: before } = await environment.aws.usage();
  const cpuBefore = (await gateway.usage()).cpuMicros;
  const url = `${gateway.origin}/ai/chat/completions`;
  const { totalMs, errors } = await sendAll(environment, url, load);
  const after = await waitForEntries(environment, (before.entries ?? 0) + load.requests);
  const { cpuMicros, rssBytes } = await gateway.usage();
  return {
    totalMs,
    cpuMicros: (cpuMicros - cpuBefore) / load.requests,
    rssMb: rssBytes / 1e6,
    errors: errors + entryErrors(before, after, load),
  };
}

/** The same requests to the provider itself: the time that each takes. */
export async function loadDirectly(environment: Environment, load: Load): Promise<number[]> {
  return (await sendAll(environment, environment.directUrl, load)).totalMs;
}

async function sendAll({ client }: Environment, url: string, load: Load) {
  // Serializing a large body takes longer than the request.
  const bodies = new Map<string, Buffer>();
  const bodyOf = (request: ChatRequest) => {
    const name = JSON.stringify(request);
    const body = bodies.get(name) ?? chatBody(request);
    bodies.set(name, body);
    return body;
  };
  let errors = 0;
  const totalMs = await closedLoop(load, async (index) => {
    const { organization, ...request } = load.request(index);
    const headers = callerHeaders(organization);
    const reply = await client.send({ url, headers, body: bodyOf(request) });
    if (!isComplete(reply, request)) errors += 1;
    return reply.totalMs;
  });
  return { totalMs, errors };
}

/** All tokens, the usage that says so, and the end. */
function isComplete({ body }: Reply, { stream, chunks }: ChatRequest): boolean {
  const text = body.toString();
  const tokens = text.split(' token').length - 1;
  const hasEnd = text.endsWith(stream ? 'data: [DONE]\n\n' : '}');
  return tokens === chunks && hasEnd && text.includes(`"completion_tokens":${chunks},`);
}

/** A response ends before its entry is written. */
async function waitForEntries({ aws }: Environment, entries: number): Promise<Record<string, number>> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const { counts } = await aws.usage();
    if ((counts.entries ?? 0) >= entries) return counts;
    await wait(10);
  }
  return (await aws.usage()).counts;
}

type Counts = Record<string, number>;

function entryErrors(before: Counts, after: Counts, { requests, request }: Load): number {
  const added = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
  let tokens = 0;
  for (let index = 0; index < requests; index += 1) tokens += request(index).chunks;
  const missing = Math.abs(requests - added('entries'));
  return missing + added('duplicates') + added('misplaced') + (added('outputTokens') === tokens ? 0 : 1);
}

export interface Step {
  name: string;
  amount: number;
  load(pass: number): Load;
  /** Runs before each measurement, and is not measured. */
  before?: Load;
}

/** A series to measure. */
export interface Plan extends Omit<Series, 'points'> {
  steps: readonly Step[];
  /** Each step once, if left out. */
  warmUp?: Load;
  /** Whether the provider itself is left out. */
  withoutDirect?: boolean;
}

const passes = 3;

/** All in one process. */
export async function measurePoints(
  environment: Environment,
  { steps, warmUp, withoutDirect = false }: Plan,
): Promise<Point[]> {
  const gateway = await environment.startGateway();
  const warmUps = warmUp ? [warmUp] : steps.map(({ load }) => load(0));
  for (const load of warmUps) await loadGateway(environment, gateway, load);
  const measured = steps.map(() => ({ directMs: [] as number[], figures: [] as LoadFigures[] }));
  for (let pass = 0; pass < passes; pass += 1) {
    for (const [index, { before, load }] of steps.entries()) {
      if (before) await loadGateway(environment, gateway, before);
      if (!withoutDirect) measured[index]?.directMs.push(...(await loadDirectly(environment, load(pass))));
      measured[index]?.figures.push(await loadGateway(environment, gateway, load(pass)));
    }
  }
  await gateway.stop();
  return steps.map(({ name, amount }, index) => {
    const { directMs = [], figures = [] } = measured[index] ?? {};
    return { name, amount, figures: combine(figures), ...(!withoutDirect && { directMs }) };
  });
}

/** Other work on the machine only adds to CPU time, so the least counts. */
function combine(figures: readonly LoadFigures[]): LoadFigures {
  return {
    totalMs: figures.flatMap(({ totalMs }) => totalMs),
    cpuMicros: Math.min(...figures.map(({ cpuMicros }) => cpuMicros)),
    rssMb: figures.at(-1)?.rssMb ?? 0,
    errors: figures.reduce((sum, { errors }) => sum + errors, 0),
  };
}
