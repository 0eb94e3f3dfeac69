/** Providers of OpenAI's format, on loopback: each answers in the shape of its recorded answers `text` and `tools`. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { fixturesOf } from '../fixture.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { jsonResponse, type Respond, streamResponse } from '../upstream-responses.ts';
import { asksForUsage, type ChatRequest, openaiRules, promptOf } from './chat-request.ts';
import { type Dialect, eventBytes, protocolOf } from './format.ts';
import {
  cerebrasRules,
  cohereRules,
  deepseekRules,
  fireworksRules,
  groqRules,
  mistralRules,
} from './strict-requests.ts';

/** Of some, a stream has usage only if the request asks for it. */
type DialectRow = Omit<Dialect, 'respond'> & { usageOnRequest?: boolean };

/** `bare` is a server of one's own that implements as much of OpenAI's format as most clients need. */
const dialects = {
  azure: { path: '/openai/v1', keyHeader: 'api-key', rules: openaiRules, usageOnRequest: true },
  bare: { path: '/v1', rules: [] },
  mistral: { path: '/v1', rules: mistralRules },
  groq: { path: '/openai/v1', rules: groqRules },
  together: { path: '/v1', rules: [] },
  fireworks: { path: '/inference/v1', rules: fireworksRules },
  deepseek: { path: '', rules: deepseekRules },
  xai: { path: '/v1', rules: [], usageOnRequest: true },
  cerebras: { path: '/v1', rules: cerebrasRules },
  openrouter: { path: '/api/v1', rules: [] },
  nvidia: { path: '/v1', rules: [], usageOnRequest: true },
  cohere: { path: '/compatibility/v1', rules: cohereRules },
} satisfies Record<string, DialectRow>;

export type DialectName = keyof typeof dialects;
export const dialectNames = Object.keys(dialects) as DialectName[];

export function startDialectUpstream(
  name: DialectName,
  behaviour: ProviderBehaviour = {},
): Promise<Upstream<ProviderBehaviour>> {
  const dialect: DialectRow = dialects[name];
  const answer = (chat: ChatRequest, given: ProviderBehaviour) => retold(name, dialect, chat, given);
  return startUpstream(protocolOf({ ...dialect, respond: answer }), behaviour);
}

/** What the recorded answers say, whole and in the pieces of the stream. */
const recordedText = 'Oslo is the capital of Norway.';
const recordedPieces = ['Oslo is', ' the capital', ' of Norway.'];

/** The recorded answer with another model, text or tool. */
function retold(
  name: DialectName,
  { usageOnRequest }: DialectRow,
  chat: ChatRequest,
  behaviour: ProviderBehaviour,
): Respond {
  const said = simulateCompletion(promptOf(chat), behaviour);
  const { plain, stream } = fixturesOf(name).get(said.kind === 'tool' ? 'tools' : 'text') ?? {};
  if (plain == null || stream == null || !('events' in stream) || !isJsonObject(plain.body)) {
    throw new Error(`test/fixtures/${name} needs an answer in both forms in text.json and tools.json`);
  }
  const { model } = plain.body;
  const pieces = said.kind === 'text' ? said.pieces : [];
  const words = (from: unknown, to: unknown) => (text: string) =>
    text.replaceAll(JSON.stringify(from), () => JSON.stringify(to));
  const retell = (text: string) =>
    [
      words(model, chat.model),
      words(recordedText, pieces.join('')),
      words('weather', said.kind === 'tool' ? said.name : 'weather'),
    ].reduce((told, change) => change(told), text);
  if (chat.stream !== true) return jsonResponse(retell(JSON.stringify(plain.body)), plain);
  const recorded =
    usageOnRequest && !asksForUsage(chat) ? stream.events.flatMap(withoutUsage) : stream.events;
  const events = recorded.map(eventBytes).flatMap((event) => {
    const place = recordedPieces.findIndex((piece) => event.includes(JSON.stringify(piece)));
    if (place === -1) return [retell(event)];
    return place === 0 ? pieces.map((piece) => words(recordedPieces[0], piece)(retell(event))) : [];
  });
  return streamResponse(events, stream);
}

function withoutUsage(event: unknown): unknown[] {
  if (!isJsonObject(event)) return [event];
  const { usage, ...rest }: JsonObject = event;
  const isUsageOnly = isJsonObject(usage) && Array.isArray(rest.choices) && rest.choices.length === 0;
  return isUsageOnly ? [] : [rest];
}
