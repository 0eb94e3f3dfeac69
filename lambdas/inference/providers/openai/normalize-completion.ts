/** What a whole answer lacks of OpenAI's form, where a client would break on it. */
import { isJsonObject, type JsonObject, objectOf, textOf } from '#lambdas/platform/json/json.ts';
import { inputTokens, readOpenAiUsage } from '#lambdas/pricing/usage.ts';
import type { ProviderCall } from '../provider.ts';
import { redact } from '../redact.ts';
import { type AnswerIdentity, madeUpCallId, standInIdentity } from '../translation/sink.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { contentEdits, nullEdits, toolCallEdits } from './normalize-tool-calls.ts';
import { translatedReason } from './response-facts.ts';
/** None for an answer that is right. */
export function completionEdits(answer: JsonObject, call: ProviderCall): JsonEdit[] {
  const identity = identityOf(answer, call);
  const choices = Array.isArray(answer.choices) ? answer.choices : [];
  return [
    ...envelopeEdits(answer, { object: 'chat.completion', identity, credential: call.apiKey }),
    ...(answer.usage === null ? [remove(['usage'])] : usageEdits(answer.usage, ['usage'])),
    ...choices.flatMap((choice, place) => (isJsonObject(choice) ? choiceEdits({ choice, place, call }) : [])),
  ];
}

interface PlacedChoice {
  choice: JsonObject;
  place: number;
  call: ProviderCall;
}

function choiceEdits({ choice, place, call }: PlacedChoice): JsonEdit[] {
  const path: JsonPath = ['choices', place];
  const edits: JsonEdit[] = [];
  if (typeof choice.index !== 'number') edits.push(set([...path, 'index'], place));
  const reason = choice.finish_reason;
  const wanted = typeof reason === 'string' ? translatedReason(reason) : 'stop';
  if (wanted !== null) edits.push(set([...path, 'finish_reason'], wanted));
  edits.push(...logprobsEdits(choice.logprobs, [...path, 'logprobs']));
  const messagePath = [...path, 'message'];
  if (!isJsonObject(choice.message)) edits.push(set(messagePath, {}));
  const message = objectOf(choice.message);
  return [...edits, ...messageEdits({ message, path: messagePath, place, call })];
}

interface PlacedMessage {
  message: JsonObject;
  path: JsonPath;
  place: number;
  call: ProviderCall;
}

function messageEdits({ message, path, place, call }: PlacedMessage): JsonEdit[] {
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
            standInId: madeUpCallId(call, place, number),
            standInArguments: '{}',
          })
        : [],
    ),
  ];
}

// What a whole answer and each chunk of one need alike. https://platform.openai.com/docs/api-reference/chat/object

const serviceTiers: readonly unknown[] = ['auto', 'default', 'flex', 'scale', 'priority', 'fast', null];

export function envelopeEdits(
  answer: JsonObject,
  { object, identity, credential }: { object: string; identity: AnswerIdentity; credential: string | null },
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
  // Groq's `on_demand` is a tier of its own, and a client with a closed list of them cannot read the answer.
  const { service_tier: tier = null } = answer;
  return serviceTiers.includes(tier) ? edits : [...edits, set(['service_tier'], null)];
}

/** Who the provider says it answers as, and for what it does not say a stand-in. */
export function identityOf(answer: JsonObject, call: ProviderCall): AnswerIdentity {
  const standIn = standInIdentity(call);
  const { created } = answer;
  const isTime = typeof created === 'number' && Number.isInteger(created) && created > 0;
  return {
    id: redact(textOf(answer.id), call.apiKey) || standIn.id,
    created: isTime ? created : standIn.created,
    model: redact(textOf(answer.model), call.apiKey) || standIn.model,
  };
}

/** Counts as OpenAI counts: xAI leaves reasoning out of the completion, and small servers forget the total. */
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

/** Log probabilities have both lists, one of them null. */
export function logprobsEdits(logprobs: unknown, path: JsonPath): JsonEdit[] {
  if (!isJsonObject(logprobs)) return logprobs === null ? [] : [set(path, null)];
  return ['content', 'refusal']
    .filter((name) => logprobs[name] === undefined)
    .map((name) => set([...path, name], null));
}
