/** What every fake of OpenAI's chat completions format does: checks the request, then answers or replays. */
import { replay } from '../replay.ts';
import type { ProviderBehaviour } from '../small-model.ts';
import type { UpstreamProtocol } from '../upstream.ts';
import type { Answer, RecordedRequest } from '../upstream-answers.ts';
import { type ChatRequest, parseChatRequest, type Rule } from './chat-request.ts';
import { errorAnswer } from './openai-answers.ts';
import { event } from './openai-events.ts';

export interface Dialect {
  /** Of the base URL, such as `/v1`. */
  path: string;
  /** The header with the key; `authorization` unless it says otherwise. */
  keyHeader?: string;
  rules: readonly Rule[];
  answer(chat: ChatRequest, behaviour: ProviderBehaviour): Answer;
}

export function protocolOf<Behaviour extends ProviderBehaviour>(
  dialect: Dialect & { answer(chat: ChatRequest, behaviour: Behaviour): Answer },
): UpstreamProtocol<Behaviour> {
  return {
    path: dialect.path,
    answer(request, behaviour) {
      const { pathname } = new URL(request.url, 'http://upstream');
      if (request.method !== 'POST' || pathname !== `${dialect.path}/chat/completions`) {
        return errorAnswer(404, { error: { message: 'Unknown request URL.', code: 'unknown_url' } });
      }
      const { expectedApiKey = keyOf(request, dialect), unknownModels, fixture } = behaviour;
      if (keyOf(request, dialect) !== expectedApiKey) return errorAnswer(401);
      const chat = parseChatRequest(request.body);
      const broken = chat === null ? 'The body has no model or messages.' : brokenRule(chat, dialect.rules);
      if (chat === null || broken !== null) return errorAnswer(400, { error: { message: broken } });
      if (unknownModels?.includes(chat.model)) {
        const message = `The model \`${chat.model}\` does not exist or you do not have access to it.`;
        return errorAnswer(404, { error: { message } });
      }
      if (fixture !== undefined) return replay(fixture, chat.stream === true, eventBytes);
      return dialect.answer(chat, behaviour);
    },
  };
}

/** An object is the data of an event; a text is the event itself, such as a comment. */
export function eventBytes(recorded: unknown): string {
  return typeof recorded === 'string' ? `${recorded}\n\n` : event(recorded);
}

export function brokenRule(chat: ChatRequest, rules: readonly Rule[]): string | null {
  for (const rule of rules) {
    const message = rule(chat);
    if (message) return message;
  }
  return null;
}

function keyOf({ headers }: RecordedRequest, { keyHeader = 'authorization' }: Dialect): string | undefined {
  const value = headers[keyHeader];
  return typeof value === 'string' ? value.replace(/^Bearer /, '') : undefined;
}
