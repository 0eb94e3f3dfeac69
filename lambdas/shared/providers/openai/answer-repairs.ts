/** What a whole answer and each chunk of one need alike. https://platform.openai.com/docs/api-reference/chat/object */
import { isJsonObject, type JsonObject, textOf } from '../../domain/json.ts';
import { inputTokens, readOpenAiUsage } from '../../domain/usage.ts';
import type { ProviderCall } from '../provider.ts';
import { type AnswerIdentity, standInIdentity } from '../translation/completion-sink.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';

const serviceTiers: readonly unknown[] = ['auto', 'default', 'flex', 'scale', 'priority', 'fast', null];

export function envelopeEdits(
  answer: JsonObject,
  { object, identity }: { object: string; identity: AnswerIdentity },
): JsonEdit[] {
  const wanted = { ...identity, object };
  const edits = Object.entries(wanted).flatMap(([name, value]) =>
    answer[name] === value ? [] : [set([name], value)],
  );
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
    id: textOf(answer.id) || standIn.id,
    created: isTime ? created : standIn.created,
    model: textOf(answer.model) || standIn.model,
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
