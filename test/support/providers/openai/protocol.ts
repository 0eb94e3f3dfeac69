/** The protocol of all fake providers with OpenAI's format. Validates a request, then responds or replays a fixture. */
import { replay } from '../replay.ts';
import { respondWithChatTurn } from '../scripted/openai.ts';
import { type ChatDialect, openAiDialect } from '../scripted/openai-dialects.ts';
import type { ProviderBehaviour } from '../simulated-model.ts';
import type { UpstreamProtocol } from '../upstream.ts';
import type { RecordedRequest, Respond } from '../upstream-responses.ts';
import { type ChatRequest, parseChatRequest, type Rule } from './chat-request.ts';
import { errorResponse } from './error-response.ts';
import { event } from './events.ts';
import type { ResponsesEndpoint } from './responses/endpoint.ts';

export interface Dialect {
  path: string;
  /** Defaults to `authorization`. */
  keyHeader?: string;
  rules: readonly Rule[];
  /** Unset for a provider without embeddings. */
  embeddings?: { path: string; respond(request: RecordedRequest): Respond };
  /** The form of scripted turns; default: OpenAI's. */
  scripted?: ChatDialect;
  /** Unset for a provider without the Responses API, which is at `/responses`. */
  responses?: ResponsesEndpoint;
  respond(chat: ChatRequest, behaviour: ProviderBehaviour, requestId: string): Respond;
}

export function createProtocol<Behaviour extends ProviderBehaviour>(
  dialect: Dialect & { respond(chat: ChatRequest, behaviour: Behaviour, requestId: string): Respond },
): UpstreamProtocol<Behaviour> {
  return {
    path: dialect.path,
    respond(request, behaviour) {
      const { pathname } = new URL(request.url, 'http://upstream');
      const { embeddings, responses } = dialect;
      const responsesPath = `${dialect.path}/responses`;
      const paths = [
        `${dialect.path}/chat/completions`,
        ...(embeddings ? [embeddings.path] : []),
        ...(responses ? [responsesPath] : []),
      ];
      if (request.method !== 'POST' || !paths.includes(pathname)) {
        return errorResponse(404, { error: { message: 'Unknown request URL.', code: 'unknown_url' } });
      }
      const { expectedApiKey = readApiKey(request, dialect), unknownModels, fixture } = behaviour;
      if (readApiKey(request, dialect) !== expectedApiKey) return errorResponse(401);
      if (pathname === embeddings?.path) return embeddings.respond(request);
      if (responses !== undefined && pathname === responsesPath) return responses(request, behaviour);
      const chat = parseChatRequest(request.body);
      const rejection =
        chat === null
          ? { message: 'The body has no model or messages.' }
          : findRejection(chat, dialect.rules);
      if (chat === null || rejection !== null) return errorResponse(400, { error: rejection ?? {} });
      if (unknownModels?.includes(chat.model)) {
        const message = `The model \`${chat.model}\` does not exist or you do not have access to it.`;
        return errorResponse(404, { error: { message } });
      }
      if (fixture !== undefined) return replay(fixture, chat.stream === true, eventBytes);
      const { requestId } = request;
      const asked = { hasTools: chat.tools !== undefined, stream: chat.stream === true };
      const turn = behaviour.nextCompletion?.(asked, requestId);
      if (turn !== undefined)
        return respondWithChatTurn(turn, { requestId, chat, dialect: dialect.scripted ?? openAiDialect });
      return dialect.respond(chat, behaviour, requestId);
    },
  };
}

/** Serializes the data of an event. A string, such as a comment, is sent unchanged. */
export function eventBytes(recorded: unknown): string {
  return typeof recorded === 'string' ? `${recorded}\n\n` : event(recorded);
}

export function findRejection(chat: ChatRequest, rules: readonly Rule[]): { message: string } | null {
  for (const rule of rules) {
    const rejection = rule(chat);
    if (rejection) return typeof rejection === 'string' ? { message: rejection } : rejection;
  }
  return null;
}

function readApiKey(
  { headers }: RecordedRequest,
  { keyHeader = 'authorization' }: Dialect,
): string | undefined {
  const value = headers[keyHeader];
  return typeof value === 'string' ? value.replace(/^Bearer /, '') : undefined;
}
