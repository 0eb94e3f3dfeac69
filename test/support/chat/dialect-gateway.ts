/** A gateway whose providers of all protocols are one scripted upstream, and what the caller gets from it. */
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { filterObjects, isJsonObject, objectOrEmpty, parseJsonObject } from '#lambdas/platform/json/json.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import {
  assembleStream,
  completionProblems,
  errorProblems,
  streamProblems,
} from '../openai-schema/validate.ts';
import { type Protocol, protocols, responseFormats } from '../providers/dialects/response-formats.ts';
import type { Respond } from '../providers/upstream-responses.ts';
import { startChatFixture } from './fixture.ts';
import type { ChatHandlerFixture, ChatHandlerFixtureOptions } from './handler-fixture.ts';
import { type HttpChatServer, startHttpChatServer } from './http-server.ts';

interface DialectRequest {
  protocol: Protocol;
  stream: boolean;
  respond: Respond;
  /** Fields of the request besides the model, the messages and `stream`. */
  fields?: Record<string, unknown>;
  /** Called when the caller has received the headers. */
  onStart?: () => Promise<void>;
}

export interface DialectResult {
  /** The response in either form, and its first choice. */
  caller: {
    status: number;
    content: unknown;
    calls: readonly { id: string; name: string; arguments: string }[];
    finish: unknown;
    error: { message: unknown; code: unknown } | null;
    usage: unknown;
    /** Always true for a completion. */
    done: boolean;
  };
  text: string;
  entry: LogEntry;
}

export interface DialectGateway {
  handler: ChatHandlerFixture;
  /** Rejects if the response violates OpenAI's format. */
  ask(request: DialectRequest): Promise<DialectResult>;
  script(respond: Respond): void;
  /** OpenAI's client for the gateway on a real connection. */
  client(): Promise<OpenAI>;
  stop(): Promise<void>;
}

export async function startDialectGateway(
  limits: ChatHandlerFixtureOptions['limits'] = {},
): Promise<DialectGateway> {
  const fixture = await startChatFixture();
  const { upstream, gateway: handler } = await fixture.setUp({
    providers: [...protocols, 'openrouter'],
    limits,
  });
  const servers: HttpChatServer[] = [];
  return {
    handler,
    async ask({ protocol, stream, respond, fields = {}, onStart }) {
      upstream.script(respond);
      const startMs = Date.now();
      const event = handler.event({
        model: responseFormats[protocol].model,
        messages: [{ role: 'user', content: 'Say hello' }],
        ...(stream && { stream, stream_options: { include_usage: true } }),
        ...fields,
      });
      const { status, headers, body, invocation } = await handler.call(event);
      await onStart?.();
      const received = await text(body);
      await invocation;
      const entries = await handler.entries({ ...allTime, startMs });
      const entry = entries.find(({ id }) => id === headers['x-gateway-request-id']);
      if (entry === undefined) throw new Error(`The request was not logged: ${received}`);
      return { caller: readResponse({ status, text: received }, stream), text: received, entry };
    },
    script: (respond) => upstream.script(respond),
    async client() {
      const server = await startHttpChatServer(handler.handle);
      servers.push(server);
      return new OpenAI({ baseURL: `${server.origin}/ai`, apiKey: handler.apiKey, maxRetries: 0 });
    },
    async stop() {
      await Promise.all(servers.map((server) => server.shutDown()));
      await fixture.stop();
    },
  };
}

/** Usage whose counts are incomplete stays as it is, since a sum would look complete. */
const isMissingCount = /\/usage\/\w+_tokens .* received (?:undefined|null)$/;

function readResponse(
  { status, text }: { status: number; text: string },
  stream: boolean,
): DialectResult['caller'] {
  const isStream = stream && status === 200;
  const body = parseJsonObject(text) ?? {};
  const validate = status === 200 ? completionProblems : errorProblems;
  const problems = (isStream ? streamProblems(text) : validate(body)).filter(
    (problem) => !isMissingCount.test(problem),
  );
  if (problems.length > 0) throw new Error(`${problems.join('\n')}\n${text}`);
  const { choices, usage, error, done } = isStream
    ? assembleStream(text)
    : {
        choices: body.choices,
        usage: body.usage ?? null,
        error: body.error ?? null,
        done: status === 200,
      };
  const { message, finish_reason: finish = null } = objectOrEmpty(filterObjects(choices)[0]);
  const { content = null, tool_calls: calls } = objectOrEmpty(message);
  return {
    status,
    content,
    calls: filterObjects(calls).map(({ id, function: callee }) => {
      const { name, arguments: json } = objectOrEmpty(callee);
      return { id: String(id), name: String(name), arguments: String(json) };
    }),
    finish,
    error: isJsonObject(error) ? { message: error.message, code: error.code } : null,
    usage,
    done,
  };
}
