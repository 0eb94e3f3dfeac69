/** Fakes of OpenAI-compatible providers. Each responds in the format of its `text` and `tools` fixtures. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { respondWithCohereEmbeddings } from '../cohere/embeddings.ts';
import { loadFixtures } from '../fixture.ts';
import { openAiDialect } from '../scripted/openai-dialects.ts';
import { type ProviderBehaviour, simulateCompletion } from '../simulated-model.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { jsonResponse, type Respond, streamResponse } from '../upstream-responses.ts';
import { type ChatRequest, requestsUsage, toPrompt } from './chat-request.ts';
import {
  cerebrasRules,
  cohereRules,
  deepseekRules,
  fireworksRules,
  groqRules,
  mistralRules,
} from './dialect-rules.ts';
import {
  minimalEmbeddings,
  mistralEmbeddings,
  nvidiaEmbeddings,
  openAiEmbeddings,
  openAiEmbeddingsAt,
} from './embeddings.ts';
import { openaiRules } from './openai-rules.ts';
import { createProtocol, type Dialect, eventBytes } from './protocol.ts';
import {
  azureResponses,
  createResponsesEndpoint,
  type ResponsesApi,
  type ResponsesBehaviour,
} from './responses/endpoint.ts';

/** `usageOnRequest` is set when streams have usage only if the request asks for it. */
type DialectRow = Omit<Dialect, 'respond' | 'responses'> & {
  usageOnRequest?: boolean;
  responses?: ResponsesApi;
};

/** `bare` is a self-hosted server that implements the minimum of OpenAI's format that most clients need. */
const dialects = {
  azure: {
    path: '/openai/v1',
    keyHeader: 'api-key',
    rules: openaiRules,
    embeddings: openAiEmbeddingsAt('/openai/v1/embeddings', openAiEmbeddings),
    responses: azureResponses,
    usageOnRequest: true,
  },
  bare: { path: '/v1', rules: [], embeddings: openAiEmbeddingsAt('/v1/embeddings', minimalEmbeddings) },
  mistral: {
    path: '/v1',
    rules: mistralRules,
    embeddings: openAiEmbeddingsAt('/v1/embeddings', mistralEmbeddings),
  },
  groq: { path: '/openai/v1', rules: groqRules },
  together: { path: '/v1', rules: [] },
  fireworks: { path: '/inference/v1', rules: fireworksRules },
  deepseek: { path: '', rules: deepseekRules },
  xai: { path: '/v1', rules: [], usageOnRequest: true },
  cerebras: { path: '/v1', rules: cerebrasRules },
  openrouter: { path: '/api/v1', rules: [] },
  nvidia: {
    path: '/v1',
    rules: [],
    embeddings: openAiEmbeddingsAt('/v1/embeddings', nvidiaEmbeddings),
    usageOnRequest: true,
  },
  cohere: {
    path: '/compatibility/v1',
    rules: cohereRules,
    embeddings: { path: '/v2/embed', respond: respondWithCohereEmbeddings },
  },
} satisfies Record<string, DialectRow>;

type DialectName = keyof typeof dialects;
export const dialectNames = Object.keys(dialects) as DialectName[];

export function startDialectUpstream(
  name: DialectName,
  behaviour: ResponsesBehaviour = {},
): Promise<Upstream<ResponsesBehaviour>> {
  const { responses, ...dialect }: DialectRow = dialects[name];
  const respond = (chat: ChatRequest, current: ProviderBehaviour) =>
    adaptRecording(name, dialect, chat, current);
  const endpoint = responses && createResponsesEndpoint(responses);
  const scripted = { ...openAiDialect, alwaysSendsUsage: dialect.usageOnRequest !== true };
  return startUpstream(createProtocol({ ...dialect, scripted, responses: endpoint, respond }), behaviour);
}

const recordedText = 'Oslo is the capital of Norway.';
const recordedChunks = ['Oslo is', ' the capital', ' of Norway.'];

/** Returns the recorded response with its model, text and tool name replaced. */
function adaptRecording(
  name: DialectName,
  { usageOnRequest }: DialectRow,
  chat: ChatRequest,
  behaviour: ProviderBehaviour,
): Respond {
  const simulated = simulateCompletion(toPrompt(chat), behaviour);
  const { plain, stream } = loadFixtures(name).get(simulated.kind === 'tool' ? 'tools' : 'text') ?? {};
  if (plain == null || stream == null || !('events' in stream) || !isJsonObject(plain.body)) {
    throw new Error(
      `test/fixtures/${name} needs a stream and a non-streaming response in text.json and tools.json`,
    );
  }
  const { model } = plain.body;
  const textChunks = simulated.kind === 'text' ? simulated.chunks : [];
  const replaceString = (from: unknown, to: unknown) => (text: string) =>
    text.replaceAll(JSON.stringify(from), () => JSON.stringify(to));
  const adapt = (text: string) =>
    [
      replaceString(model, chat.model),
      replaceString(recordedText, textChunks.join('')),
      replaceString('weather', simulated.kind === 'tool' ? simulated.name : 'weather'),
    ].reduce((adapted, replace) => replace(adapted), text);
  if (chat.stream !== true) return jsonResponse(adapt(JSON.stringify(plain.body)), plain);
  const recorded =
    usageOnRequest && !requestsUsage(chat) ? stream.events.flatMap(withoutUsage) : stream.events;
  const events = recorded.map(eventBytes).flatMap((event) => {
    const chunkIndex = recordedChunks.findIndex((chunk) => event.includes(JSON.stringify(chunk)));
    if (chunkIndex === -1) return [adapt(event)];
    return chunkIndex === 0
      ? textChunks.map((chunk) => replaceString(recordedChunks[0], chunk)(adapt(event)))
      : [];
  });
  return streamResponse(events, stream);
}

function withoutUsage(event: unknown): unknown[] {
  if (!isJsonObject(event)) return [event];
  const { usage, ...rest }: JsonObject = event;
  const isUsageOnly = isJsonObject(usage) && Array.isArray(rest.choices) && rest.choices.length === 0;
  return isUsageOnly ? [] : [rest];
}
