/** A tool loop of a caller of any format, and the responses of providers to it. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { ProviderResult, TranslatedGateway, TranslatedResult } from '../messages/translated-gateway.ts';
import { deltaChunk } from '../providers/openai/events.ts';

export const imageData = 'iVBORw0KGgo=';

export interface LoopOptions {
  /** With the prefix of the provider. */
  model: string;
  stream: boolean;
  /** The responses of the provider. */
  calls: ProviderResult | null;
  end: ProviderResult | null;
  fields?: JsonObject;
  /** For the second request. */
  lastFields?: JsonObject;
}

export interface LoopResults {
  /** The response with the calls. */
  first: TranslatedResult;
  second: TranslatedResult;
}

interface Loop {
  request: JsonObject;
  /** The fields of the second request that send the response and the results of its calls back. */
  next(first: TranslatedResult): JsonObject;
}

export async function runLoop(
  { ask }: Pick<TranslatedGateway, 'ask'>,
  { model, stream, calls, end, fields = {}, lastFields = {} }: LoopOptions,
  { request, next }: Loop,
): Promise<LoopResults> {
  const sent = { ...request, ...fields, model, stream };
  const first = await ask(sent, calls);
  return { first, second: await ask({ ...sent, ...lastFields, ...next(first) }, end) };
}

/** The response of a provider with reasoning, the text "I look." and calls. */
interface LoopCompletion {
  reasoning: string;
  text: string;
  calls: readonly { id: string; name: string; arguments: string }[];
}

type Results = Record<'calls' | 'end', Required<Pick<ProviderResult, 'whole' | 'events'>>>;

/** The counts of log entries for the responses below. */
export const loopCounts = {
  input_tokens: 1200,
  cached_input_tokens: 1000,
  output_tokens: 100,
  reasoning_tokens: 70,
};

/** The halves of a text. */
const halves = (text: string) => [text.slice(0, text.indexOf(' ')), text.slice(text.indexOf(' '))];
const endTexts = ['In ', 'Rome.'];

const chatUsage = {
  prompt_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 1000 },
  completion_tokens: 100,
  completion_tokens_details: { reasoning_tokens: 70 },
  total_tokens: 1300,
};

export const chatCalls = ({ calls }: LoopCompletion) =>
  calls.map(({ id, ...callee }) => ({ id, type: 'function', function: callee }));

interface ChatServer {
  model: string;
  /** The field of its reasoning, if it shows any. */
  reasoning: string | null;
}

/** The results of a server with OpenAI's format. The arguments of all calls arrive in turns. */
export function chatResults(completion: LoopCompletion, { model, reasoning }: ChatServer): Results {
  const toolCalls = chatCalls(completion);
  const thought = (text: string): JsonObject[] => (reasoning === null ? [] : [{ [reasoning]: text }]);
  const resultOf = (message: JsonObject, deltas: JsonObject[], finish_reason: string) => ({
    whole: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1767225600,
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
      usage: chatUsage,
    },
    events: [
      ...deltas.map((delta) => ({ ...deltaChunk(delta), model })),
      { ...deltaChunk({}, finish_reason), model },
      { ...deltaChunk({}), model, choices: [], usage: chatUsage },
      'data: [DONE]',
    ],
  });
  const starts = toolCalls.map((call, index) => ({
    index,
    ...call,
    function: { ...call.function, arguments: '' },
  }));
  const partsOf = (part: (json: string) => string) => ({
    tool_calls: completion.calls.map(({ arguments: json }, index) => ({
      index,
      function: { arguments: part(json) },
    })),
  });
  return {
    calls: resultOf(
      { ...thought(completion.reasoning)[0], content: completion.text, tool_calls: toolCalls },
      [
        ...halves(completion.reasoning).flatMap(thought),
        ...halves(completion.text).map((content) => ({ content })),
        { tool_calls: starts },
        partsOf((json) => json.slice(0, 9)),
        partsOf((json) => json.slice(9)),
      ],
      'tool_calls',
    ),
    end: resultOf(
      { content: endTexts.join('') },
      endTexts.map((content) => ({ content })),
      'stop',
    ),
  };
}

export const geminiSignatures = { text: 'EpEgCo4gAb4+9vvW', call: 'CiQBjz1rXxLK' };

/** The text and the calls, which Gemini requires back with their signatures. */
export function geminiParts({ text, calls }: LoopCompletion): JsonObject[] {
  return [
    { text, thoughtSignature: geminiSignatures.text },
    ...calls.map(({ arguments: json, ...call }, index) => ({
      functionCall: { ...call, args: JSON.parse(json) },
      ...(index === 0 && { thoughtSignature: geminiSignatures.call }),
    })),
  ];
}

export function geminiResults(completion: LoopCompletion, model: string): Results {
  const response = (parts: JsonObject[], fields: JsonObject = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...fields }],
    modelVersion: model,
    responseId: 'r1',
  });
  const ended = (parts: JsonObject[]) => ({
    ...response(parts, { finishReason: 'STOP' }),
    usageMetadata: {
      promptTokenCount: 1200,
      cachedContentTokenCount: 1000,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 70,
      totalTokenCount: 1300,
    },
  });
  const thought = (text: string) => ({ text, thought: true });
  const [text = {}, ...calls] = geminiParts(completion);
  const [start, rest] = halves(completion.text);
  const [endStart = '', endRest = ''] = endTexts;
  return {
    calls: {
      whole: ended([thought(completion.reasoning), text, ...calls]),
      events: [
        ...halves(completion.reasoning).map((part) => response([thought(part)])),
        response([{ text: start }]),
        response([{ ...text, text: rest }]),
        ended(calls),
      ],
    },
    end: {
      whole: ended([{ text: endTexts.join('') }]),
      events: [response([{ text: endStart }]), ended([{ text: endRest }])],
    },
  };
}
