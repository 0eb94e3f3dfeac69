/** Completes a non-streaming response to OpenAI's format where a client would break on it. */
import { isJsonObject, type JsonObject, objectOf, textOf } from '#lambdas/platform/json/json.ts';
import { inputTokens, readOpenAiUsage } from '#lambdas/pricing/usage.ts';
import type { ProviderCall } from '../provider.ts';
import { redact } from '../redact.ts';
import { type CompletionIdentity, placeholderCallId, placeholderIdentity } from '../translation/sink.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { contentEdits, nullEdits, toolCallEdits } from './normalize-tool-calls.ts';
import { normalizedReason } from './response-facts.ts';

/** Returns no edits for a valid response. */
export function completionEdits(answer: JsonObject, call: ProviderCall): JsonEdit[] {
  const identity = identityOf(answer, call);
  const choices = Array.isArray(answer.choices) ? answer.choices : [];
  return [
    ...envelopeEdits(answer, { object: 'chat.completion', identity, credential: call.apiKey }),
    ...(answer.usage === null ? [remove(['usage'])] : usageEdits(answer.usage, ['usage'])),
    ...choices.flatMap((choice, place) => (isJsonObject(choice) ? choiceEdits(choice, place, call) : [])),
  ];
}

function choiceEdits(choice: JsonObject, place: number, call: ProviderCall): JsonEdit[] {
  const path: JsonPath = ['choices', place];
  const edits: JsonEdit[] = [];
  if (typeof choice.index !== 'number') edits.push(set([...path, 'index'], place));
  const reason = choice.finish_reason;
  const wanted = typeof reason === 'string' ? normalizedReason(reason) : 'stop';
  if (wanted !== null) edits.push(set([...path, 'finish_reason'], wanted));
  edits.push(...logprobsEdits(choice.logprobs, [...path, 'logprobs']));
  const messagePath = [...path, 'message'];
  if (!isJsonObject(choice.message)) edits.push(set(messagePath, {}));
  const message = objectOf(choice.message);
  return [
    ...edits,
    ...messageEdits(message, messagePath, (number) => placeholderCallId(call, place, number)),
  ];
}

function messageEdits(message: JsonObject, path: JsonPath, callIdOf: (number: number) => string): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (message.role !== 'assistant') edits.push(set([...path, 'role'], 'assistant'));
  if (message.content === undefined) edits.push(set([...path, 'content'], null));
  if (message.refusal === undefined) edits.push(set([...path, 'refusal'], null));
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  return [
    ...edits,
    ...contentEdits(message, path),
    ...nullEdits(message, path, ['tool_calls', 'annotations']),
    ...calls.flatMap((toolCall, number) =>
      isJsonObject(toolCall)
        ? toolCallEdits(toolCall, {
            path: [...path, 'tool_calls', number],
            placeholderId: callIdOf(number),
            placeholderArguments: '{}',
          })
        : [],
    ),
  ];
}

const serviceTiers: readonly unknown[] = ['auto', 'default', 'flex', 'scale', 'priority', 'fast', null];

/** Applies to responses and to chunks. https://platform.openai.com/docs/api-reference/chat/object */
export function envelopeEdits(
  answer: JsonObject,
  {
    object,
    identity,
    credential,
  }: { object: string; identity: CompletionIdentity; credential: string | null },
): JsonEdit[] {
  const wanted = { ...identity, object };
  const edits = Object.entries(wanted).flatMap(([name, value]) =>
    answer[name] === value ? [] : [set([name], value)],
  );
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value !== 'string' || Object.hasOwn(wanted, name)) continue;
    const shown = redact(value, credential);
    if (shown !== value) edits.push(set([name], shown));
  }
  // A client with a closed list of tiers cannot parse another, such as Groq's `on_demand`.
  const { service_tier: tier = null } = answer;
  return serviceTiers.includes(tier) ? edits : [...edits, set(['service_tier'], null)];
}

/** The response's id, time and model, with placeholders for those that the provider leaves out. */
export function identityOf(answer: JsonObject, call: ProviderCall): CompletionIdentity {
  const placeholder = placeholderIdentity(call);
  const { created } = answer;
  const isTime = typeof created === 'number' && Number.isInteger(created) && created > 0;
  return {
    id: redact(textOf(answer.id), call.apiKey) || placeholder.id,
    created: isTime ? created : placeholder.created,
    model: redact(textOf(answer.model), call.apiKey) || placeholder.model,
  };
}

/** Counts as OpenAI does: xAI leaves reasoning out of the completion, and small servers leave out the total. */
export function usageEdits(usage: unknown, path: JsonPath): JsonEdit[] {
  const read = readOpenAiUsage(usage);
  if (read === null || !isJsonObject(usage)) return [];
  const input = inputTokens(read);
  const counts = {
    prompt_tokens: input,
    completion_tokens: read.outputTokens,
    total_tokens: usage.total_tokens ?? input + read.outputTokens,
  };
  const wrong = Object.entries(counts).filter(([name, count]) => usage[name] !== count);
  const details = ['prompt_tokens_details', 'completion_tokens_details'].filter(
    (name) => usage[name] === null,
  );
  return [
    ...wrong.map(([name, count]) => set([...path, name], count)),
    ...details.map((name) => remove([...path, name])),
  ];
}

/** Log probabilities have both lists, of which one is `null`. */
export function logprobsEdits(logprobs: unknown, path: JsonPath): JsonEdit[] {
  if (!isJsonObject(logprobs)) return logprobs === null ? [] : [set(path, null)];
  return ['content', 'refusal']
    .filter((name) => logprobs[name] === undefined)
    .map((name) => set([...path, name], null));
}
