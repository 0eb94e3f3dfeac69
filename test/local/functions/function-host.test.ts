import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { FunctionDefinition } from '#local/functions/function-definitions.ts';
import { type HostedFunction, hostFunction } from '#local/functions/function-host.ts';
import { openFunctionLog } from '#local/functions/function-log.ts';
import { type FunctionDesk, openFunctionDesk } from '../function-desk.ts';

const directory = mkdtempSync(join(tmpdir(), 'function-host-'));
const hosted: HostedFunction[] = [];
const desks: FunctionDesk<string>[] = [];
const lines: string[] = [];

afterEach(async () => {
  await Promise.all(hosted.splice(0).map((fn) => fn.stop()));
  await Promise.all(desks.splice(0).map((desk) => desk.stop()));
});

afterAll(() => rmSync(directory, { recursive: true }));

function host(changes: Partial<FunctionDefinition> = {}): HostedFunction {
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
    ...changes,
  };
  const log = openFunctionLog(join(directory, 'Probe.log'), (line) => lines.push(line));
  const fn = hostFunction(definition, log);
  hosted.push(fn);
  return fn;
}

const eventFor = (behaviour: string) => JSON.stringify({ headers: { 'x-do': behaviour } });

/** A function that asks at the desk; stopped with it. */
async function hostWithDesk(changes: Partial<FunctionDefinition>) {
  const desk = await openFunctionDesk<string>();
  desks.push(desk);
  const environment = { ...host().definition.environment, TEST_URL: desk.url };
  return { desk, fn: host({ environment, ...changes }) };
}

const kindOf = async (fn: HostedFunction) => (await fn.invoke({ event: eventFor('process') })).kind;

async function processOf(fn: HostedFunction, event = eventFor('process')): Promise<string> {
  const outcome = await fn.invoke({ event });
  if (outcome.kind !== 'streaming') throw new Error(JSON.stringify(outcome));
  return (await text(outcome.body)).split('\0').at(-1) ?? '';
}

describe('a hosted function', () => {
  it('keeps its process from one invocation to the next', async () => {
    const fn = host();

    expect(await processOf(fn)).toEqual(await processOf(fn));
  });

  it('is stopped when its time is over, and has a new process then', async () => {
    const fn = host({ timeoutSeconds: 1 });
    await fn.warmUp();
    const before = await processOf(fn);
    const outcome = await fn.invoke({ event: eventFor('hang'), requestId: 'request-1' });
    await fn.warmUp();
    const after = await processOf(fn);

    expect(outcome).toEqual({
      kind: 'failed',
      error: { errorType: 'Sandbox.Timedout', errorMessage: 'Task timed out after 1.00 seconds' },
    });
    await expect.poll(() => lines).toContain('request-1 Task timed out after 1.00 seconds');
    expect(after).not.toEqual(before);
  });

  it('has all of its time however long its process takes to start', async () => {
    const codeDirectory = join(directory, 'slow');
    mkdirSync(codeDirectory);
    const source =
      "await new Promise((resolve) => setTimeout(resolve, 1100)); export const handler = () => 'ready';";
    writeFileSync(join(codeDirectory, 'index.mjs'), source);
    const environment = { LAMBDA_TASK_ROOT: codeDirectory, _HANDLER: 'index.handler' };
    const fn = host({ codeDirectory, environment, timeoutSeconds: 1 });

    expect(await fn.invoke({ event: '{}' })).toEqual({ kind: 'returned', payload: '"ready"' });
  });

  it('has a new process at once when its process has ended', async () => {
    const fn = host();
    const before = await processOf(fn);
    const outcome = await fn.invoke({ event: eventFor('crash') });
    const after = await processOf(fn);

    expect(outcome).toMatchObject({ kind: 'failed', error: { errorType: 'Runtime.ExitError' } });
    expect(after).not.toEqual(before);
  });

  it('waits for a process that is too busy to accept connections', async () => {
    const fn = host({ timeoutSeconds: 30 });
    const before = await processOf(fn);
    // Over TCP, Linux reset about 300 of as many connections, each with more data than fits in a segment.
    const event = JSON.stringify({ headers: { 'x-do': 'process' }, body: 'x'.repeat(70_000) });
    const blocking = fn.invoke({ event: eventFor('accept no connection for a second') });
    const answers = await Promise.all(Array.from({ length: 2000 }, () => processOf(fn, event)));

    expect(await blocking).toMatchObject({ kind: 'streaming' });
    expect(new Set(answers)).toEqual(new Set([before]));
  });

  it('lets an invocation that is under way end before it stops', async () => {
    const desk = await openFunctionDesk();
    const codeDirectory = join(import.meta.dirname, '../fixtures/consumer');
    const environment = { LAMBDA_TASK_ROOT: codeDirectory, _HANDLER: 'index.handler', TEST_URL: desk.url };
    const fn = host({ codeDirectory, environment });
    const invocation = fn.invoke({ event: '{}' });
    const asking = await desk.take();

    const stopping = fn.stop();
    asking.answer({ result: 'written' });

    expect(await invocation).toEqual({ kind: 'returned', payload: '"written"' });
    await stopping;
    await desk.stop();
  });

  it('runs no more at once than it may, and one whose caller has gone counts until it has ended', async () => {
    const { desk, fn } = await hostWithDesk({ reservedConcurrency: 1 });
    const caller = new AbortController();
    const outcome = await fn.invoke({ event: eventFor('until the caller goes'), signal: caller.signal });
    if (outcome.kind === 'streaming') outcome.body.on('error', () => {});
    caller.abort();
    const asking = await desk.take();

    expect(outcome.kind).toBe('streaming');
    expect(await kindOf(fn)).toBe('throttled');
    asking.answer();
    await expect.poll(() => kindOf(fn)).toBe('streaming');
  });

  it('gets the event of a caller that has gone already, and ends with it', async () => {
    const fn = host({ reservedConcurrency: 1 });
    await fn.warmUp();
    const outcome = await fn.invoke({ event: eventFor('process'), signal: AbortSignal.abort() });

    expect(outcome.kind).toBe('failed');
    await expect.poll(() => kindOf(fn)).toBe('streaming');
  });

  it('does not wait long for one that does not end', async () => {
    const fn = host();
    await fn.warmUp();
    const invocation = fn.invoke({ event: eventFor('hang') });

    await fn.stop();

    expect(await invocation).toMatchObject({ kind: 'failed', error: { errorType: 'Runtime.ExitError' } });
  });

  it('fails with the error that its handler throws', async () => {
    expect(await host().invoke({ event: eventFor('fail before the prelude') })).toEqual({
      kind: 'failed',
      error: { errorType: 'Error', errorMessage: 'before' },
    });
  });

  it('says why it does not start', async () => {
    const environment = {
      LAMBDA_TASK_ROOT: join(import.meta.dirname, '../fixtures/probe'),
      _HANDLER: 'index.missing',
    };

    await expect(host({ environment }).warmUp()).rejects.toThrow(
      'The function Probe does not start: Error: index.missing is undefined or not exported',
    );
  });
});
