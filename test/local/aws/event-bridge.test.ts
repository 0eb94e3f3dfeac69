/** Sends events to the local AWS endpoint, as functions do. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEventSender } from '#lambdas/platform/aws/event-bridge.ts';
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import { createAwsEndpoint } from '#local/aws/endpoint.ts';
import { createEventBridge, type EventBridge } from '#local/aws/event-bridge.ts';
import { type HttpListener, openHttpListener } from '#local/listeners/http-listener.ts';
import { createAuthorizer } from '#local/permissions/authorization.ts';

const defaultBusArn = 'arn:aws:events:us-east-1:000000000000:event-bus/default';
const otherBusArn = 'arn:aws:events:us-east-1:000000000000:event-bus/other';
const logLines: string[] = [];
let eventBridge: EventBridge;
let listener: HttpListener;

const identity = (functionName: string, ...resources: string[]) => ({
  functionName,
  roleName: `${functionName}Role`,
  statements: [{ effect: 'Allow' as const, actions: ['events:PutEvents'], resources }],
});

const notCalled = { handle: () => Promise.reject(new Error('Not called')), close: () => {} };

beforeAll(async () => {
  listener = await openHttpListener(0);
});
afterAll(() => listener.close());

beforeEach(() => {
  logLines.length = 0;
  eventBridge = createEventBridge({ region: 'us-east-1', log: (line) => logLines.push(line) });
  const authorizer = createAuthorizer(
    new Map([
      ['sender', identity('Sender', defaultBusArn)],
      ['other-sender', identity('OtherSender', otherBusArn)],
    ]),
  );
  listener.serve(
    createAwsEndpoint({
      authorizer,
      cloudWatchLogs: notCalled,
      dynamoDb: notCalled,
      eventBridge,
      sqs: notCalled,
      secretsManager: { ...notCalled, storedValue: () => '' },
      userPool: null,
      ses: null,
      onAuthorizationFailure: () => {},
    }),
  );
});

function serviceOf(accessKeyId: string): JsonService {
  const credentials = { accessKeyId, secretAccessKey: 'any' };
  const access = { region: 'us-east-1', credentials, endpoints: { events: listener.origin } };
  return createJsonService({ service: 'events', access, now: () => new Date() });
}

const putEvents = (Entries: unknown, accessKeyId = 'sender') =>
  serviceOf(accessKeyId).call('PutEvents', { Entries });

const entry = { Source: 'ai-gateway', DetailType: 'Test', Detail: '{"number":1}' };

describe('PutEvents', () => {
  it('accepts events of a function whose role grants it', async () => {
    await createEventSender(serviceOf('sender')).send([
      { source: 'ai-gateway', detailType: 'Budget Threshold Reached', detail: { percent: 80 } },
      { source: 'ai-gateway', detailType: 'Other', detail: {} },
    ]);

    expect(eventBridge.latestEvents()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        source: 'ai-gateway',
        detailType: 'Budget Threshold Reached',
        detail: { percent: 80 },
      },
      { id: expect.any(String), source: 'ai-gateway', detailType: 'Other', detail: {} },
    ]);
    expect(logLines).toEqual([
      'event  ai-gateway · Budget Threshold Reached · {"percent":80}',
      'event  ai-gateway · Other · {}',
    ]);
  });

  it('returns the id of each event', async () => {
    const response = await putEvents([entry, entry]);

    expect(response).toEqual({
      FailedEntryCount: 0,
      Entries: eventBridge.latestEvents().map(({ id }) => ({ EventId: id })),
    });
    expect(new Set(eventBridge.latestEvents().map(({ id }) => id)).size).toBe(2);
  });

  it('logs the detail on one line, with its numbers unchanged', async () => {
    await putEvents([
      { ...entry, Detail: '{\r\n  "amount": 1000000000000000.123456789012,\n  "name": "a\\nb"\n}' },
    ]);

    expect(logLines).toEqual([
      String.raw`event  ai-gateway · Test · { "amount": 1000000000000000.123456789012, "name": "a\nb" }`,
    ]);
  });

  it('accepts the default event bus by its name and its ARN', async () => {
    await putEvents([
      { ...entry, EventBusName: 'default' },
      { ...entry, EventBusName: defaultBusArn },
    ]);

    expect(eventBridge.latestEvents()).toHaveLength(2);
  });

  it('keeps the latest hundred events', async () => {
    for (let call = 0; call < 11; call += 1)
      await putEvents(
        Array.from({ length: 10 }, (_, index) => ({
          ...entry,
          Detail: JSON.stringify({ number: call * 10 + index }),
        })),
      );

    const numbers = eventBridge.latestEvents().map(({ detail }) => detail.number);
    expect(numbers).toEqual(Array.from({ length: 100 }, (_, index) => index + 10));
  });

  it.each([
    ['Source', { ...entry, Source: undefined }],
    ['Source', { ...entry, Source: '' }],
    ['Source', {}],
    ['DetailType', { ...entry, DetailType: undefined }],
    ['Detail', { ...entry, Detail: undefined }],
  ])('reports a missing %s for its entry and accepts the others', async (name, incomplete) => {
    expect(await putEvents([incomplete, entry])).toEqual({
      FailedEntryCount: 1,
      Entries: [
        {
          ErrorCode: 'InvalidArgument',
          ErrorMessage: `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
        },
        { EventId: expect.any(String) },
      ],
    });
    expect(logLines).toHaveLength(1);
  });

  it.each(['{', '"text"', '[]', 'null', '1'])(
    'rejects the detail %s, which is not an object',
    async (Detail) => {
      expect(await putEvents([{ ...entry, Detail }])).toEqual({
        FailedEntryCount: 1,
        Entries: [{ ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' }],
      });
      expect(eventBridge.latestEvents()).toEqual([]);
    },
  );

  it.each([
    ['no events', [], 'greater than or equal to 1'],
    ['no list of events', undefined, 'greater than or equal to 1'],
    ['eleven events', Array.from({ length: 11 }, () => entry), 'less than or equal to 10'],
  ])('rejects a request with %s', async (_, entries, constraint) => {
    await expect(putEvents(entries)).rejects.toMatchObject({
      name: 'ValidationException',
      body: {
        message: `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length ${constraint}`,
      },
    });
  });

  it.each([
    ['a detail that is not serialized', [{ ...entry, Detail: {} }]],
    ['an event that is not an object', ['event']],
    ['events that are not in a list', entry],
  ])('rejects a request with %s', async (_, entries) => {
    await expect(putEvents(entries)).rejects.toMatchObject({
      name: 'SerializationException',
      body: {
        message:
          'Entries must be a list of objects whose Source, DetailType, Detail, EventBusName are strings',
      },
    });
  });

  it('rejects a function whose role does not grant sending to the event bus', async () => {
    await expect(putEvents([entry], 'other-sender')).rejects.toMatchObject({
      name: 'AccessDeniedException',
      body: {
        message: `User: arn:aws:sts::000000000000:assumed-role/OtherSenderRole/OtherSender is not authorized to perform: events:PutEvents on resource: ${defaultBusArn} because no identity-based policy allows the events:PutEvents action`,
      },
    });
    await expect(putEvents([entry, { ...entry, EventBusName: 'other' }])).rejects.toMatchObject({
      name: 'AccessDeniedException',
      body: { message: expect.stringContaining(`events:PutEvents on resource: ${otherBusArn} because`) },
    });
    expect(eventBridge.latestEvents()).toEqual([]);
  });

  it('rejects events for an event bus that does not exist', async () => {
    await expect(putEvents([{ ...entry, EventBusName: 'other' }], 'other-sender')).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      body: { message: `The local run has only the default event bus, not ${otherBusArn}` },
    });
  });
});

describe('Other operations of EventBridge', () => {
  it('are rejected with UnknownOperationException', async () => {
    await expect(serviceOf('local-admin').call('PutRule', {})).rejects.toMatchObject({
      name: 'UnknownOperationException',
      body: { message: 'The local run does not emulate events:PutRule' },
    });
  });
});
