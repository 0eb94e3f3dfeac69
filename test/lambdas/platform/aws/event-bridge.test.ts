import { afterEach, describe, expect, it, vi } from 'vitest';
import { isTransient, ServiceError } from '#lambdas/platform/aws/errors.ts';
import { createEventSender, type EventSender } from '#lambdas/platform/aws/event-bridge.ts';
import { createJsonService } from '#lambdas/platform/aws/json-client.ts';
import {
  awsAccessAt,
  type Responder,
  respondWith,
  type ScriptedService,
  startScriptedService,
} from '#test/support/aws/scripted-service.ts';
import { startSilentService } from '#test/support/http/silent-service.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const accepted = respondWith(200, '{"FailedEntryCount":0,"Entries":[]}');
const partlyRejected = (...codes: (string | null)[]) => {
  const entries = codes.map((code) => (code === null ? { EventId: '1' } : { ErrorCode: code }));
  const failed = codes.filter((code) => code !== null).length;
  return respondWith(200, JSON.stringify({ FailedEntryCount: failed, Entries: entries }));
};

function senderTo(endpoint: string): EventSender {
  const access = { ...awsAccessAt(endpoint), endpoints: { events: endpoint } };
  return createEventSender(createJsonService({ service: 'events', access, now: () => new Date() }));
}

async function start(...responders: [Responder, ...Responder[]]): Promise<ScriptedService> {
  const service = await startScriptedService(...responders);
  cleanups.push(service.stop);
  return service;
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, number) => ({
    source: 'ai-gateway',
    detailType: 'Test',
    detail: { number },
  }));

async function failureOf(sent: Promise<void>): Promise<ServiceError> {
  const failure: unknown = await sent.catch((error: unknown) => error);
  if (!(failure instanceof ServiceError)) throw new Error('The call did not reject with a ServiceError');
  return failure;
}

describe('createEventSender', () => {
  it('sends events to the default event bus, with their detail as JSON', async () => {
    const service = await start(accepted);
    await senderTo(service.endpoint).send([
      {
        source: 'ai-gateway',
        detailType: 'Budget Threshold Reached',
        detail: { name: 'é "x"', percent: 80 },
      },
      { source: 'ai-gateway', detailType: 'Other', detail: {} },
    ]);

    expect(service.requests).toMatchObject([
      {
        method: 'POST',
        url: '/',
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'AWSEvents.PutEvents',
          authorization: expect.stringContaining('/us-east-1/events/aws4_request'),
        },
      },
    ]);
    expect(service.requests.map(({ body }) => body)).toEqual([
      String.raw`{"Entries":[{"Source":"ai-gateway","DetailType":"Budget Threshold Reached","Detail":"{\"name\":\"é \\\"x\\\"\",\"percent\":80}"},{"Source":"ai-gateway","DetailType":"Other","Detail":"{}"}]}`,
    ]);
  });

  it('sends at most ten events with a call, in order', async () => {
    const service = await start(accepted);
    await senderTo(service.endpoint).send(numbered(21));

    const details = service.requests.map(({ body }) =>
      JSON.parse(body).Entries.map(({ Detail }: { Detail: string }) => JSON.parse(Detail).number),
    );
    expect(details).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [10, 11, 12, 13, 14, 15, 16, 17, 18, 19], [20]]);
  });

  it('makes no call without events', async () => {
    const service = await start(accepted);
    await senderTo(service.endpoint).send([]);

    expect(service.requests).toEqual([]);
  });

  it('rejects with the code of the first rejected event, and makes no further call', async () => {
    const service = await start(partlyRejected(null, 'MalformedDetail', 'InternalFailure'));
    const failure = await failureOf(senderTo(service.endpoint).send(numbered(11)));

    expect(failure).toMatchObject({
      name: 'MalformedDetail',
      message: 'The call to the AWS service failed',
      body: {},
    });
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['InternalFailure', true],
    ['ThrottlingException', true],
    ['InvalidArgument', false],
    ['MalformedDetail', false],
    ['NotAuthorizedForSourceException', false],
  ])('rejects with %s, which is transient: %s', async (code, transient) => {
    const service = await start(partlyRejected(code));
    const failure = await failureOf(senderTo(service.endpoint).send(numbered(1)));

    expect([failure.name, isTransient(failure)]).toEqual([code, transient]);
  });

  it.each(['{}', '{"FailedEntryCount":1}', '{"FailedEntryCount":1,"Entries":[{"ErrorCode":null}]}'])(
    'rejects after the response %s, which names no error code',
    async (body) => {
      const service = await start(respondWith(200, body));
      const failure = await failureOf(senderTo(service.endpoint).send(numbered(1)));

      expect(failure.name).toBe('UnknownError');
    },
  );

  it('rejects when the call is not authorized', async () => {
    const service = await start(respondWith(400, '{"__type":"AccessDeniedException"}'));
    const sent = senderTo(service.endpoint).send(numbered(1));

    await expect(sent).rejects.toMatchObject({
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 400 },
    });
  });

  it('rejects when the event bus has not responded after three seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const service = await startSilentService();
    cleanups.push(service.stop);
    const sent = senderTo(service.endpoint).send(numbered(1));

    await expect(sent).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(service.requests()).toBe(2);
    expect(Date.now()).toBeGreaterThanOrEqual(3000);
    expect(Date.now()).toBeLessThan(3500);
  });
});
