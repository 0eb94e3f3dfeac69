/** Measures the steps of a series, and checks every response and every log entry against its request. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../harness/environment.ts';
import {
  type ChatRequest,
  callerHeaders,
  chatBody,
  runClosedLoop,
  type TimedResponse,
} from '../harness/load.ts';
import type { BenchProcess } from '../harness/process.ts';
import type { LoadFigures, Point, Series } from './growth.ts';

export interface OrganizationRequest extends ChatRequest {
  organization: number;
}

export interface Load {
  requests: number;
  concurrency: number;
  request(index: number): OrganizationRequest;
}

async function loadGateway(
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

/** Sends the same requests to the provider, without the gateway. Returns the latency of each in milliseconds. */
async function loadDirectly(environment: Environment, load: Load): Promise<number[]> {
  return (await sendAll(environment, environment.directUrl, load)).totalMs;
}

async function sendAll({ client }: Environment, url: string, load: Load) {
  // Cached, since serializing a large body takes longer than the request.
  const bodies = new Map<string, Buffer>();
  const getBody = (request: ChatRequest) => {
    const key = JSON.stringify(request);
    const body = bodies.get(key) ?? chatBody(request);
    bodies.set(key, body);
    return body;
  };
  let errors = 0;
  const totalMs = await runClosedLoop(load, async (index) => {
    const { organization, ...request } = load.request(index);
    const headers = callerHeaders(organization);
    const response = await client.send({ url, headers, body: getBody(request) });
    if (!isComplete(response, request)) errors += 1;
    return response.totalMs;
  });
  return { totalMs, errors };
}

/** True when the response has all tokens, a matching usage and a proper end. */
function isComplete({ body }: TimedResponse, { stream, chunks }: ChatRequest): boolean {
  const text = body.toString();
  const tokens = text.split(' token').length - 1;
  const hasEnd = text.endsWith(stream ? 'data: [DONE]\n\n' : '}');
  return tokens === chunks && hasEnd && text.includes(`"completion_tokens":${chunks},`);
}

/** Waits up to five seconds, since an entry is written after the end of its response. */
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
  return missing + added('duplicates') + added('misattributed') + (added('outputTokens') === tokens ? 0 : 1);
}

export interface Step {
  name: string;
  amount: number;
  load(pass: number): Load;
  /** Load that runs before each measurement and is not measured. */
  setUp?: Load;
}

export interface Plan extends Omit<Series, 'points'> {
  steps: readonly Step[];
  /** The default is to run each step once. */
  warmUp?: Load;
  skipDirect?: boolean;
}

const passes = 3;

/** Measures all steps in the same gateway process. */
export async function measurePoints(
  environment: Environment,
  { steps, warmUp, skipDirect = false }: Plan,
): Promise<Point[]> {
  const gateway = await environment.startGateway();
  const warmUps = warmUp ? [warmUp] : steps.map(({ load }) => load(0));
  for (const load of warmUps) await loadGateway(environment, gateway, load);
  const measured = steps.map(() => ({ directMs: [] as number[], figures: [] as LoadFigures[] }));
  for (let pass = 0; pass < passes; pass += 1) {
    for (const [index, { setUp, load }] of steps.entries()) {
      if (setUp) await loadGateway(environment, gateway, setUp);
      if (!skipDirect) measured[index]?.directMs.push(...(await loadDirectly(environment, load(pass))));
      measured[index]?.figures.push(await loadGateway(environment, gateway, load(pass)));
    }
  }
  await gateway.stop();
  return steps.map(({ name, amount }, index) => {
    const { directMs = [], figures = [] } = measured[index] ?? {};
    return { name, amount, figures: combinePasses(figures), ...(!skipDirect && { directMs }) };
  });
}

/** Uses the minimum CPU time, since other work on the machine can only increase it. */
function combinePasses(figures: readonly LoadFigures[]): LoadFigures {
  return {
    totalMs: figures.flatMap(({ totalMs }) => totalMs),
    cpuMicros: Math.min(...figures.map(({ cpuMicros }) => cpuMicros)),
    rssMb: figures.at(-1)?.rssMb ?? 0,
    errors: figures.reduce((sum, { errors }) => sum + errors, 0),
  };
}
