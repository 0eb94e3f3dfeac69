/** Chat completions of the demo provider, in OpenAI's format. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { asList, isObject, type JsonObject } from '#local/untyped-json.ts';
import { createText, type DemoText, eventStreamHeaders, paced } from './text.ts';

interface Completion extends DemoText {
  id: string;
  created: number;
  model: unknown;
}

export function createCompletion(body: JsonObject): Completion {
  return {
    id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
    created: Math.floor(Date.now() / 1000),
    model: body.model,
    ...createText(asList(body.messages)),
  };
}

export function toCompletionBody(completion: Completion): JsonObject {
  const { id, created, model, words } = completion;
  const message = { role: 'assistant', content: words.join(''), refusal: null };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: usageOf(completion),
  };
}

function usageOf({ inputTokens, outputTokens }: Completion): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

export async function sendChunks(
  response: ServerResponse,
  body: JsonObject,
  completion: Completion,
): Promise<void> {
  const { id, created, model, words } = completion;
  const includesUsage = isObject(body.stream_options) && body.stream_options.include_usage === true;
  const send = (choices: unknown[], chunkUsage: unknown = null) => {
    const chunk = { id, object: 'chat.completion.chunk', created, model, choices };
    response.write(`data: ${JSON.stringify(includesUsage ? { ...chunk, usage: chunkUsage } : chunk)}\n\n`);
  };
  const choice = (delta: JsonObject, finishReason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason: finishReason },
  ];
  response.writeHead(200, eventStreamHeaders);
  send(choice({ role: 'assistant', content: '' }));
  for await (const word of paced(words)) {
    if (response.destroyed) return;
    send(choice({ content: word }));
  }
  send(choice({}, 'stop'));
  if (includesUsage) send([], usageOf(completion));
  response.end('data: [DONE]\n\n');
}
