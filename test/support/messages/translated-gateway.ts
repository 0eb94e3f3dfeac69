/**
 * A gateway for callers of the Messages or the Responses API, whose provider has another API: the fake of a provider, which
 * validates the request as the real one does and then sends the given response.
 */
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream';
import {
  filterObjects,
  type JsonObject,
  objectOrEmpty,
  parseJsonObject,
} from '#lambdas/platform/json/json.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import {
  type ChatHandlerFixture,
  type ChatHandlerFixtureOptions,
  createChatHandlerFixture,
} from '../chat/handler-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '../dynamodb/embedded.ts';
import { bedrockStreamType } from '../providers/bedrock/event-stream.ts';
import { type FakeProvider, fakeProviders } from '../providers/fake-providers.ts';
import type { Fixture } from '../providers/fixture.ts';
import type { Turn } from '../providers/openai/responses/turns.ts';
import { selfHostedNames, startSelfHostedUpstream } from '../providers/openai/self-hosted.ts';
import { eventData } from '../providers/sse-events.ts';
import type { RecordedRequest, Respond } from '../providers/upstream-responses.ts';

/** A response of the provider in both forms. Only that of the request is sent. */
export interface ProviderResult {
  whole?: unknown;
  events?: readonly unknown[];
  /** The response of the Responses API. */
  turn?: Turn;
  /** See the fake of the Responses API. */
  isUnverified?: boolean;
}

export interface TranslatedResult {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The message or the response in either form, or the error instead of a stream. */
  body: JsonObject;
  /** The data of the events of a stream. */
  events: JsonObject[];
  entry: LogEntry;
  /** As the provider received it. */
  request: RecordedRequest;
  /** The body of that request. */
  sent: JsonObject;
  /** The parameters that `x-gateway-ignored-parameters` lists. */
  ignored: string[];
}

export interface TranslatedGateway {
  upstream: FakeProvider;
  handler: ChatHandlerFixture;
  /**
   * Sends a request with these fields. A function responds without validating the request. With `null`, the provider's
   * simulated model responds.
   */
  ask(
    fields: JsonObject,
    response: ProviderResult | Respond | null,
    headers?: Record<string, string>,
  ): Promise<TranslatedResult>;
}

interface TranslatedOptions extends Partial<ChatHandlerFixtureOptions> {
  /** The name by which callers call the provider. Default: that of the fake. */
  name?: string;
}

export interface TranslatedGateways {
  start(fake: string, options?: TranslatedOptions): Promise<TranslatedGateway>;
  stop(): Promise<void>;
}

/** Bedrock takes it as an API key. */
export const upstreamKey = 'sk-upstream-key';

/** A format of callers. */
interface CallerFormat {
  /** The fields of a request, unless the test gives others. */
  fields: JsonObject;
  /** Puts the events of a stream together; empty for a stream without its end. */
  assemble(events: readonly JsonObject[]): JsonObject | Promise<JsonObject>;
}

const formatsByPath = {
  '/ai/v1/messages': {
    fields: { max_tokens: 1024, messages: [{ role: 'user', content: 'Hello' }] },
    assemble: assembleMessage,
  },
  '/ai/v1/responses': { fields: { input: 'Hello' }, assemble: finalResponse },
} satisfies Record<string, CallerFormat>;

interface TranslatedGatewaysOptions {
  /** The path of the callers' API. */
  path?: keyof typeof formatsByPath;
}

export async function startTranslatedGateways({
  path = '/ai/v1/messages',
}: TranslatedGatewaysOptions = {}): Promise<TranslatedGateways> {
  const format: CallerFormat = formatsByPath[path];
  const database: EmbeddedDynamoDB = await startEmbeddedDynamoDB();
  const upstreams: FakeProvider[] = [];
  return {
    async start(fake, { name = fake, settings = {}, ...options } = {}) {
      const upstream = await startFake(fake);
      upstreams.push(upstream);
      const handler = await createChatHandlerFixture({
        database,
        path,
        settings: { [name]: { baseUrl: upstream.baseUrl, ...settings[name] } },
        credentials: { [name]: { api_key: upstreamKey } },
        ...options,
      });
      return {
        upstream,
        handler,
        async ask(fields, response, headers = {}) {
          if (typeof response === 'function') upstream.script(response);
          else upstream.behaviour = behaviourOf(fake, response);
          const received = await handler.post({ ...format.fields, ...fields }, headers);
          const entry = (await handler.entries()).at(-1);
          const request = upstream.requests.at(-1);
          if (entry === undefined || request === undefined)
            throw new Error(`The request was not sent to the provider: ${received.text}`);
          return { ...received, ...(await read(received, format)), entry, request, sent: bodyOf(request) };
        },
      };
    },
    async stop() {
      await Promise.all(upstreams.map((upstream) => upstream.stop()));
      await database.stop();
    },
  };
}

async function startFake(name: string): Promise<FakeProvider> {
  const server = selfHostedNames.find((known) => known === name);
  if (server !== undefined) return startSelfHostedUpstream(server, { expectedApiKey: upstreamKey });
  const start = fakeProviders[name];
  if (start === undefined) throw new Error(`There is no fake of ${name}`);
  return start({ expectedApiKey: upstreamKey });
}

function behaviourOf(fake: string, result: ProviderResult | null): FakeProvider['behaviour'] {
  const expected = { expectedApiKey: upstreamKey };
  if (result?.turn !== undefined) {
    const { turn, isUnverified = false } = result;
    return { ...expected, nextResponse: () => turn, isUnverified };
  }
  return result === null ? expected : { ...expected, fixture: fixtureOf(fake, result) };
}

function fixtureOf(fake: string, { whole, events }: ProviderResult): Fixture {
  const streamType = fake === 'bedrock' ? bedrockStreamType : 'text/event-stream';
  return {
    source: '',
    model: '',
    request: {},
    plain:
      whole === undefined
        ? null
        : { status: 200, headers: { 'content-type': 'application/json' }, body: whole },
    stream:
      events === undefined
        ? null
        : { status: 200, headers: { 'content-type': streamType }, events: [...events] },
    arithmetic: '',
    expected: { choices: [], entry: {} },
  };
}

function bodyOf({ body }: RecordedRequest): JsonObject {
  return parseJsonObject(body.toString()) ?? {};
}

async function read(
  { text, headers }: { text: string; headers: Record<string, string> },
  { assemble }: CallerFormat,
) {
  const ignored = headers['x-gateway-ignored-parameters'];
  const events = filterObjects(eventData(text).map((data) => parseJsonObject(data)));
  return {
    body: parseJsonObject(text) ?? (await assemble(events)),
    events,
    ignored: ignored === undefined ? [] : ignored.split(', '),
  };
}

/** Puts the events together as Anthropic's own client does. */
async function assembleMessage(events: readonly JsonObject[]): Promise<JsonObject> {
  if (events.at(-1)?.type !== 'message_stop') return {};
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  const { body } = new Response(lines.join(''));
  if (body === null) throw new Error('There are no events');
  return { ...(await MessageStream.fromReadableStream(body).finalMessage()) };
}

/** The last event of a stream has the whole response. */
function finalResponse(events: readonly JsonObject[]): JsonObject {
  return objectOrEmpty(events.at(-1)?.response);
}
