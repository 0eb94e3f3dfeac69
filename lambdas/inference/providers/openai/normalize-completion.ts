/** Normalizes a non-streaming response that would break clients of OpenAI's format. */
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { inputTokens } from '#lambdas/pricing/usage.ts';
import type { ProviderCall } from '../provider.ts';
import { redact } from '../redact.ts';
import { type CompletionIdentity, placeholderCallId, placeholderIdentity } from '../translation/sink.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { contentEdits, nullEdits, toolCallEdits } from './normalize-tool-calls.ts';
import { normalizedReason } from './response-facts.ts';
import { readOpenAiUsage } from './usage.ts';

export function completionEdits(completion: JsonObject, call: ProviderCall): JsonEdit[] {
  const identity = identityOf(completion, call);
  const choices = Array.isArray(completion.choices) ? completion.choices : [];
  return [
    ...envelopeEdits(completion, { object: 'chat.completion', identity, credential: call.apiKey }),
    ...(completion.usage === null ? [remove(['usage'])] : usageEdits(completion.usage, ['usage'])),
    ...choices.flatMap((choice, position) =>
      isJsonObject(choice) ? choiceEdits(choice, position, call) : [],
    ),
  ];
}

function choiceEdits(choice: JsonObject, position: number, call: ProviderCall): JsonEdit[] {
  const path: JsonPath = ['choices', position];
  const edits: JsonEdit[] = [];
  if (typeof choice.index !== 'number') edits.push(set([...path, 'index'], position));
  const reason = choice.finish_reason;
  const replacement = typeof reason === 'string' ? normalizedReason(reason) : 'stop';
  if (replacement !== null) edits.push(set([...path, 'finish_reason'], replacement));
  edits.push(...logprobsEdits(choice.logprobs, [...path, 'logprobs']));
  const messagePath = [...path, 'message'];
  if (!isJsonObject(choice.message)) edits.push(set(messagePath, {}));
  const message = objectOrEmpty(choice.message);
  return [
    ...edits,
    ...messageEdits(message, messagePath, (callIndex) => placeholderCallId(call, position, callIndex)),
  ];
}

function messageEdits(
  message: JsonObject,
  path: JsonPath,
  callIdOf: (callIndex: number) => string,
): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (message.role !== 'assistant') edits.push(set([...path, 'role'], 'assistant'));
  if (message.content === undefined) edits.push(set([...path, 'content'], null));
  if (message.refusal === undefined) edits.push(set([...path, 'refusal'], null));
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return [
    ...edits,
    ...contentEdits(message, path),
    ...nullEdits(message, path, ['tool_calls', 'annotations']),
    ...calls.flatMap((toolCall, callIndex) =>
      isJsonObject(toolCall)
        ? toolCallEdits(toolCall, {
            path: [...path, 'tool_calls', callIndex],
            placeholderId: callIdOf(callIndex),
            placeholderArguments: '{}',
          })
        : [],
    ),
  ];
}

const serviceTiers: readonly unknown[] = [
  'auto',
  'default',
  'flex',
  'scale',
  'priority',
  'fast',
  'ultrafast',
  null,
];

/** Edits the top-level fields of a completion or chunk. https://platform.openai.com/docs/api-reference/chat/object */
export function envelopeEdits(
  response: JsonObject,
  {
    object,
    identity,
    credential,
  }: { object: string; identity: CompletionIdentity; credential: string | null },
): JsonEdit[] {
  const required = { ...identity, object };
  const edits = Object.entries(required).flatMap(([name, value]) =>
    response[name] === value ? [] : [set([name], value)],
  );
  for (const [name, value] of Object.entries(response)) {
    if (typeof value !== 'string' || Object.hasOwn(required, name)) continue;
    const redacted = redact(value, credential);
    if (redacted !== value) edits.push(set([name], redacted));
  }
  // Clients that model the tier as an enum cannot parse another value, such as Groq's `on_demand`.
  const { service_tier: tier = null } = response;
  return serviceTiers.includes(tier) ? edits : [...edits, set(['service_tier'], null)];
}

export function identityOf(response: JsonObject, call: ProviderCall): CompletionIdentity {
  const placeholder = placeholderIdentity(call);
  const { created } = response;
  const isTime = typeof created === 'number' && Number.isInteger(created) && created > 0;
  return {
    id: redact(stringOrEmpty(response.id), call.apiKey) || placeholder.id,
    created: isTime ? created : placeholder.created,
    model: redact(stringOrEmpty(response.model), call.apiKey) || placeholder.model,
  };
}

/**
 * Counts tokens as OpenAI does: xAI excludes reasoning from the completion tokens, and some servers omit the total. If
 * any count cannot be read, all stay as they are, since sums without it would look complete.
 */
export function usageEdits(usage: unknown, path: JsonPath): JsonEdit[] {
  const read = readOpenAiUsage(usage);
  if (read === null || !isJsonObject(usage)) return [];
  const input = inputTokens(read);
  const counts = {
    prompt_tokens: input,
    completion_tokens: read.outputTokens,
    total_tokens: usage.total_tokens ?? input + read.outputTokens,
  };
  const wrong = read.isIncomplete
    ? []
    : Object.entries(counts).filter(([name, count]) => usage[name] !== count);
  const details = ['prompt_tokens_details', 'completion_tokens_details'].filter(
    (name) => usage[name] === null,
  );
  return [
    ...wrong.map(([name, count]) => set([...path, name], count)),
    ...details.map((name) => remove([...path, name])),
  ];
}

/** Log probabilities must have both lists, either of which may be `null`. */
export function logprobsEdits(logprobs: unknown, path: JsonPath): JsonEdit[] {
  if (!isJsonObject(logprobs)) return logprobs === null ? [] : [set(path, null)];
  return ['content', 'refusal']
    .filter((name) => logprobs[name] === undefined)
    .map((name) => set([...path, name], null));
}
