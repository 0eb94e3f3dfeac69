import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { FunctionDefinition } from '#local/functions/definitions.ts';
import { type HostedFunction, hostFunction } from '#local/functions/host.ts';
import { openFunctionLog } from '#local/functions/log.ts';
import type { ServiceEvent } from '#local/service-event.ts';
import { type InvocationQueue, startInvocationQueue } from '../invocation-queue.ts';

const directory = mkdtempSync(join(tmpdir(), 'function-host-'));
const hosted: HostedFunction[] = [];
const queues: InvocationQueue<string>[] = [];
const lines: string[] = [];
const events: ServiceEvent[] = [];

afterEach(async () => {
  await Promise.all(hosted.splice(0).map((fn) => fn.stop()));
  await Promise.all(queues.splice(0).map((invocations) => invocations.stop()));
});

afterAll(() => rmSync(directory, { recursive: true }));

function host(changes: Partial<FunctionDefinition> = {}, idleTimeoutMs = 60_000): HostedFunction {
  const codeDirectory = join(import.meta.dirname, '../fixtures/probe');
  const definition: FunctionDefinition = {
    logicalId: 'Probe',
    name: 'Probe',
    functionName: 'Probe',
    arn: 'arn:probe',
    roleLogicalId: 'ProbeRole',
    codeDirectory,
    environment: { LAMBDA_TASK_ROOT: codeDirectory, _HANDLER: 'index.handler', AWS_REGION: 'us-east-1' },
    timeoutSeconds: 10,
    memoryMb: 128,
    ...changes,
  };
  const log = openFunctionLog(join(directory, 'Probe.log'), (line) => lines.push(line));
  const fn = hostFunction(definition, { log, observe: (event) => events.push(event), idleTimeoutMs });
  hosted.push(fn);
  return fn;
}

const eventFor = (behaviour: string) => JSON.stringify({ headers: { 'x-do': behaviour } });

async function hostWithQueue(changes: Partial<FunctionDefinition>, idleTimeoutMs?: number) {
  const invocations = await startInvocationQueue<string>();
  queues.push(invocations);
  const environment = { ...host().definition.environment, TEST_URL: invocations.url };
  return { invocations, fn: host({ environment, ...changes }, idleTimeoutMs) };
}

/** Lambda's own lines about an invocation. */
const platformLines = (requestId: string) =>
  lines
    .filter((line) => line.startsWith('{"time":') && line.includes(requestId))
    .map((line) => JSON.parse(line));

const kindOf = async (fn: HostedFunction) => (await fn.invoke({ event: eventFor('process') })).kind;

async function processOf(fn: HostedFunction, event = eventFor('process')): Promise<string> {
  const outcome = await fn.invoke({ event });
  if (outcome.kind !== 'streaming') throw new Error(JSON.stringify(outcome));
  return (await text(outcome.body)).split('\0').at(-1) ?? '';
}

describe('hostFunction', () => {
  it('reuses the process for the next invocation', async () => {
    const fn = host();

    expect(await processOf(fn)).toEqual(await processOf(fn));
  });

  it('starts no process before the first invocation', async () => {
    const fn = host();
    const before = fn.processIds();
    await processOf(fn);

    expect(before).toEqual([]);
    expect(fn.processIds()).toHaveLength(1);
  });

  it('ends the process when it has been idle, and starts another one for the next invocation', async () => {
    const fn = host({}, 0);
    const before = await processOf(fn);
    await expect.poll(fn.processIds).toEqual([]);
    const after = await processOf(fn);

    expect(after).not.toEqual(before);
  });

  it('does not end a process during an invocation', async () => {
    const { invocations, fn } = await hostWithQueue({}, 0);
    const outcome = await fn.invoke({ event: eventFor('chunk by chunk') });
    if (outcome.kind !== 'streaming') throw new Error(JSON.stringify(outcome));
    const body = text(outcome.body);
    for (let chunk = 0; chunk < 3; chunk += 1) (await invocations.next()).respond();

    expect(await body).toMatch(/one\s*two\s*three$/);
    await expect.poll(fn.processIds).toEqual([]);
  });

  it('fails an invocation on timeout and starts a new process', async () => {
    const fn = host({ timeoutSeconds: 1 });
    await fn.warmUp();
    const before = fn.processIds();
    const outcome = await fn.invoke({ event: eventFor('hang'), requestId: 'request-1' });
    await fn.warmUp();
    const after = fn.processIds();

    expect(outcome).toEqual({
      kind: 'failed',
      error: { errorType: 'Sandbox.Timedout', errorMessage: 'Task timed out after 1.00 seconds' },
    });
    await expect
      .poll(() => platformLines('request-1'))
      .toMatchObject([
        { type: 'platform.start' },
        { type: 'platform.report', record: { status: 'timeout', metrics: { memorySizeMB: 128 } } },
      ]);
    expect([before.length, after.length]).toEqual([1, 1]);
    expect(after).not.toEqual(before);
  });

  it('does not count the start of the process towards the timeout', async () => {
    const codeDirectory = join(directory, 'slow');
    mkdirSync(codeDirectory);
    const source =
      "await new Promise((resolve) => setTimeout(resolve, 1100)); export const handler = () => 'ready';";
    writeFileSync(join(codeDirectory, 'index.mjs'), source);
    const environment = { LAMBDA_TASK_ROOT: codeDirectory, _HANDLER: 'index.handler' };
    const fn = host({ codeDirectory, environment, timeoutSeconds: 1 });

    expect(await fn.invoke({ event: '{}' })).toEqual({ kind: 'returned', payload: '"ready"' });
  });

  it('starts a new process immediately after a crash', async () => {
    const fn = host();
    const before = await processOf(fn);
    const outcome = await fn.invoke({ event: eventFor('crash'), requestId: 'request-2' });
    const after = await processOf(fn);
    await expect.poll(() => platformLines('request-2')).toHaveLength(2);

    expect(outcome).toMatchObject({ kind: 'failed', error: { errorType: 'Runtime.ExitError' } });
    expect(platformLines('request-2')[1]).toMatchObject({
      record: { status: 'error', errorType: 'Runtime.ExitError' },
    });
    expect(after).not.toEqual(before);
  });

  it("writes Lambda's lines about an invocation, and wraps the output of console", async () => {
    const fn = host();
    await fn.warmUp();
    await fn.invoke({
      event: eventFor('fail before the prelude'),
      requestId: 'request-3',
      qualifier: 'live',
    });
    await expect.poll(() => platformLines('request-3')).toHaveLength(2);
    const [printed, failure] = lines
      .map((line) => JSON.parse(line))
      .filter(({ requestId }) => requestId === 'request-3');

    expect(platformLines('request-3')).toEqual([
      {
        time: expect.any(String),
        type: 'platform.start',
        record: { requestId: 'request-3', version: '$LATEST' },
      },
      {
        time: expect.any(String),
        type: 'platform.report',
        record: {
          requestId: 'request-3',
          metrics: {
            durationMs: expect.any(Number),
            billedDurationMs: expect.any(Number),
            memorySizeMB: 128,
            maxMemoryUsedMB: expect.any(Number),
            initDurationMs: expect.any(Number),
          },
          status: 'error',
          errorType: 'Error',
        },
      },
    ]);
    expect(printed).toEqual({
      timestamp: expect.any(String),
      level: 'INFO',
      requestId: 'request-3',
      message: 'behaviour: fail before the prelude',
    });
    expect(failure).toMatchObject({
      level: 'ERROR',
      message: { errorType: 'Error', errorMessage: 'before' },
    });
    const invoked = { functionName: 'Probe', qualifier: 'live' };
    expect(events.slice(-2)).toEqual([
      { kind: 'invocation started', invoked, concurrency: 1 },
      { kind: 'invocation ended', invoked, durationMs: expect.any(Number), isError: true },
    ]);
  });

  it('waits for a process that is too busy to accept connections', async () => {
    const fn = host({ timeoutSeconds: 30 });
    const before = await processOf(fn);
    // Over TCP, Linux resets about 300 of these connections, each of which sends more data than fits in a segment.
    const event = JSON.stringify({ headers: { 'x-do': 'process' }, body: 'x'.repeat(70_000) });
    const blocking = fn.invoke({ event: eventFor('block for a second') });
    const processIds = await Promise.all(Array.from({ length: 2000 }, () => processOf(fn, event)));

    expect(await blocking).toMatchObject({ kind: 'streaming' });
    expect(new Set(processIds)).toEqual(new Set([before]));
  });

  it('waits for a running invocation when the function is stopped', async () => {
    const invocations = await startInvocationQueue();
    const codeDirectory = join(import.meta.dirname, '../fixtures/consumer');
    const environment = {
      LAMBDA_TASK_ROOT: codeDirectory,
      _HANDLER: 'index.handler',
      TEST_URL: invocations.url,
    };
    const fn = host({ codeDirectory, environment });
    const invocation = fn.invoke({ event: '{}' });
    const call = await invocations.next();

    const stopping = fn.stop();
    call.respond({ result: 'written' });

    expect(await invocation).toEqual({ kind: 'returned', payload: '"written"' });
    await stopping;
    await invocations.stop();
  });

  it('counts an invocation towards the reserved concurrency after its caller has disconnected', async () => {
    const { invocations, fn } = await hostWithQueue({ reservedConcurrency: 1 });
    const controller = new AbortController();
    const outcome = await fn.invoke({ event: eventFor('wait for disconnect'), signal: controller.signal });
    if (outcome.kind === 'streaming') outcome.body.on('error', () => {});
    controller.abort();
    const call = await invocations.next();

    expect(outcome.kind).toBe('streaming');
    expect(await kindOf(fn)).toBe('throttled');
    expect(events.at(-1)?.kind).toBe('invocation throttled');
    call.respond();
    await expect.poll(() => kindOf(fn)).toBe('streaming');
  });

  it('completes an invocation whose caller has already disconnected', async () => {
    const fn = host({ reservedConcurrency: 1 });
    await fn.warmUp();
    const outcome = await fn.invoke({ event: eventFor('process'), signal: AbortSignal.abort() });

    expect(outcome.kind).toBe('failed');
    await expect.poll(() => kindOf(fn)).toBe('streaming');
  });

  it('kills a hanging invocation when the function is stopped', async () => {
    const fn = host();
    await fn.warmUp();
    const invocation = fn.invoke({ event: eventFor('hang') });

    await fn.stop();

    expect(await invocation).toMatchObject({ kind: 'failed', error: { errorType: 'Runtime.ExitError' } });
  });

  it('returns the error that the handler throws', async () => {
    expect(await host().invoke({ event: eventFor('fail before the prelude') })).toEqual({
      kind: 'failed',
      error: { errorType: 'Error', errorMessage: 'before' },
    });
  });

  it('starts a process when the path of the temporary directory is too long for a socket', async () => {
    vi.stubEnv('TMPDIR', join(directory, 'x'.repeat(100)));
    const outcome = await host().invoke({ event: eventFor('process') });
    vi.unstubAllEnvs();

    expect(outcome).toMatchObject({ kind: 'streaming' });
  });

  it('reports why the process failed to start', async () => {
    const environment = {
      LAMBDA_TASK_ROOT: join(import.meta.dirname, '../fixtures/probe'),
      _HANDLER: 'index.missing',
    };

    await expect(host({ environment }).warmUp()).rejects.toThrow(
      'The function Probe failed to start: Error: index.missing is undefined or not exported',
    );
  });
});
