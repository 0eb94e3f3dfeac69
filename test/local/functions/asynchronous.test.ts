import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { invokeAsynchronously, readAsynchronousSettings } from '#local/functions/asynchronous.ts';
import type { InvocationRequest } from '#local/functions/host.ts';
import type { InvocationOutcome } from '#local/functions/worker.ts';
import { createStackFixture } from '../stack-fixture.ts';

const failed: InvocationOutcome = {
  kind: 'failed',
  error: { errorType: 'Error', errorMessage: 'no reply' },
};
const throttled: InvocationOutcome = { kind: 'throttled' };
const returned: InvocationOutcome = { kind: 'returned', payload: 'null' };
const definition = {
  logicalId: 'Mail',
  name: 'Mail',
  functionName: 'Mail',
  arn: 'arn:mail',
  roleLogicalId: '',
  codeDirectory: '',
  environment: {},
  timeoutSeconds: 5,
  memoryMb: 128,
};

/** Invokes a function with these outcomes; the last one repeats. */
async function invoke(
  outcomes: InvocationOutcome[],
  settings = { maxRetries: 2, maxEventAgeMs: 21_600_000 },
) {
  const requests: InvocationRequest[] = [];
  const pauses: number[] = [];
  const errors: string[] = [];
  let nowMs = 0;
  await invokeAsynchronously({
    target: {
      definition,
      async invoke(request) {
        requests.push(request);
        return (outcomes.length > 1 ? outcomes.shift() : outcomes[0]) ?? returned;
      },
    },
    event: '{"id":1}',
    settings,
    now: () => nowMs,
    wait: async (ms) => {
      pauses.push(ms);
      nowMs += ms;
    },
    onError: (message) => errors.push(message),
  });
  return { requests, pauses, errors };
}

describe('An asynchronous invocation', () => {
  it('ends with the first response', async () => {
    const body = Readable.from(['ignored']);
    const streaming = await invoke([{ kind: 'streaming', contentType: undefined, body }]);

    expect((await invoke([returned])).requests).toEqual([
      { event: '{"id":1}', requestId: expect.any(String) },
    ]);
    expect(streaming).toMatchObject({ requests: [{}], pauses: [], errors: [] });
  });

  it('is retried after a minute and after two more when the function fails, with the same request id', async () => {
    const { requests, pauses, errors } = await invoke([failed, failed, returned]);

    expect(pauses).toEqual([60_000, 120_000]);
    expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(1);
    expect(errors).toEqual(['Mail: no reply', 'Mail: no reply']);
  });

  it('is discarded after the last retry', async () => {
    const { requests, errors } = await invoke([failed]);

    expect(requests).toHaveLength(3);
    expect(errors.at(-1)).toBe('Mail: discarded an event after 3 attempts');
  });

  it('is retried with growing pauses while the function is throttled, up to the maximum age', async () => {
    const { pauses, errors } = await invoke([throttled], { maxRetries: 0, maxEventAgeMs: 1_200_000 });

    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1000));
    expect(errors).toEqual(['Mail: discarded an event after 12 attempts']);
  });
});

describe('readAsynchronousSettings', () => {
  const settingsOf = (properties: Record<string, unknown>) => () =>
    readAsynchronousSettings(
      createStackFixture({ Settings: { Type: 'AWS::Lambda::EventInvokeConfig', Properties: properties } }),
      'Mail',
    );

  it('reads the settings of the function, with the defaults of Lambda', () => {
    const settings = {
      FunctionName: { Ref: 'Mail' },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 1,
      MaximumEventAgeInSeconds: 60,
    };

    expect(settingsOf(settings)()).toEqual({ maxRetries: 1, maxEventAgeMs: 60_000 });
    expect(settingsOf({ ...settings, FunctionName: { Ref: 'Other' } })()).toEqual({
      maxRetries: 2,
      maxEventAgeMs: 21_600_000,
    });
  });

  it('rejects the settings of an alias', () => {
    expect(settingsOf({ FunctionName: { Ref: 'Mail' }, Qualifier: 'live' })).toThrow(
      'Settings.Qualifier: the local run supports only $LATEST',
    );
  });

  it('rejects a destination', () => {
    expect(settingsOf({ FunctionName: { Ref: 'Mail' }, DestinationConfig: {} })).toThrow(
      'Settings has DestinationConfig, which the local run does not emulate',
    );
  });
});
