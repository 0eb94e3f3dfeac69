/** Sends events to the local AWS endpoint, as functions do. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEventSender } from '#lambdas/platform/aws/event-bridge.ts';
import { createJsonService, type JsonService } from '#lambdas/platform/aws/json-client.ts';
import { createEventBridge, type EventBridge } from '#local/aws/event-bridge.ts';
import { type HttpListener, openHttpListener } from '#local/listeners/http-listener.ts';
import { createEndpointFixture } from './endpoint-fixture.ts';

const defaultBusArn = 'arn:aws:events:us-east-1:000000000000:event-bus/default';
const otherBusArn = 'arn:aws:events:us-east-1:000000000000:event-bus/other';
const logLines: string[] = [];
let eventBridge: EventBridge;
let listener: HttpListener;

beforeAll(async () => {
  listener = await openHttpListener(0);
});
afterAll(() => listener.close());

beforeEach(() => {
  logLines.length = 0;
  eventBridge = createEventBridge({ region: 'us-east-1', log: (line) => logLines.push(line) });
  const allow = (resource: string) => [{ actions: ['events:PutEvents'], resources: [resource] }];
  const callers = { sender: allow(defaultBusArn), 'other-sender': allow(otherBusArn) };
  listener.serve(createEndpointFixture({ callers, eventBridge }));
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

  it('reports an incomplete event and one without an object as detail, and accepts the others', async () => {
    expect(await putEvents([{ ...entry, Source: '' }, { ...entry, Detail: '"text"' }, entry])).toEqual({
      FailedEntryCount: 2,
      Entries: [
        {
          ErrorCode: 'InvalidArgument',
          ErrorMessage: 'Parameter Source is not valid. Reason: Source is a required argument.',
        },
        { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' },
        { EventId: expect.any(String) },
      ],
    });
    expect(logLines).toHaveLength(1);
  });

  it.each([
    ['no events', [], 'ValidationException'],
    ['eleven events', Array.from({ length: 11 }, () => entry), 'ValidationException'],
    ['a detail that is not serialized', [{ ...entry, Detail: {} }], 'SerializationException'],
  ])('rejects a request with %s', async (_, entries, name) => {
    await expect(putEvents(entries)).rejects.toMatchObject({ name });
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
});
