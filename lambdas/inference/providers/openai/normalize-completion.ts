/** Normalizes a non-streaming response that would break clients of OpenAI's format. */
import { type ChatCall, expectedResult } from '#lambdas/inference/chat/body.ts';
import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { defaultArguments, type FinishReason } from '#lambdas/inference/completion/finish-reasons.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { inputTokens } from '#lambdas/pricing/usage.ts';
import type { ProviderCall } from '../provider.ts';
import { redact } from '../redact.ts';
import { type ChoiceStates, createChoiceStates } from '../translation/choice-states.ts';
import { type CompletionIdentity, placeholderIdentity } from '../translation/placeholders.ts';
import { emptyResponseError } from '../translation/response-reader.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { contentEdits, nullEdits } from './normalize-message.ts';
import { toolCallEdits } from './normalize-tool-calls.ts';
import { choiceIndex, choicesOf, finishWordOf, hasContent } from './response-facts.ts';
import { readOpenAiUsage } from './usage.ts';

/**
 * Returns the edits of a completion, and sets the facts about its choices. The facts have an error if nothing was completed;
 * the edits are then meaningless.
 */
export function completionEdits(
  completion: JsonObject,
  { call, facts, provider }: { call: ChatCall; facts: ReaderFacts; provider: string },
): JsonEdit[] {
  const identity = identityOf(completion, call);
  facts.responseId = identity.id;
  const states = createChoiceStates(call, expectedResult(call.request.body), facts);
  const choices = choicesOf(completion).flatMap((choice, position) =>
    isJsonObject(choice) ? [readChoice(choice, position, states)] : [],
  );
  states.finishOpen();
  const closed = states.close();
  if (closed === null) {
    facts.error ??= emptyResponseError(provider);
    return [];
  }
  const reasons = new Map(closed.map(({ index, reason }) => [index, reason]));
  return [
    ...envelopeEdits(completion, { object: 'chat.completion', identity, credential: call.apiKey }),
    ...(completion.usage === null ? [remove(['usage'])] : usageEdits(completion.usage, ['usage'])),
    ...choices.flatMap(({ index, edits, finish }) => [...edits, ...finish(reasons.get(index) ?? 'stop')]),
  ];
}

interface ReadChoice {
  index: number;
  edits: JsonEdit[];
  /** The edits that depend on the reason: a truncated tool call must not look complete. */
  finish(reason: FinishReason): JsonEdit[];
}

function readChoice(choice: JsonObject, position: number, states: ChoiceStates): ReadChoice {
  const path: JsonPath = ['choices', position];
  const index = choiceIndex(choice, position);
  const state = states.get(index);
  const message = objectOrEmpty(choice.message);
  if (hasContent(message)) state.addOutput();
  const toolCalls = (Array.isArray(message.tool_calls) ? message.tool_calls : []).flatMap(
    (toolCall: unknown, callIndex) =>
      isJsonObject(toolCall)
        ? [{ toolCall, callIndex, id: state.addToolCall(stringOrEmpty(toolCall.id)) }]
        : [],
  );
  const word = finishWordOf(choice, state);
  if (word !== '') states.finish(index, word);
  const messagePath = [...path, 'message'];
  return {
    index,
    edits: [
      ...(choice.index === index ? [] : [set([...path, 'index'], index)]),
      ...logprobsEdits(choice.logprobs, [...path, 'logprobs']),
      ...(isJsonObject(choice.message) ? [] : [set(messagePath, {})]),
      ...messageEdits(message, messagePath),
    ],
    finish: (reason) => [
      ...(choice.finish_reason === reason ? [] : [set([...path, 'finish_reason'], reason)]),
      ...toolCalls.flatMap(({ toolCall, callIndex, id }) =>
        toolCallEdits(toolCall, {
          path: [...messagePath, 'tool_calls', callIndex],
          id,
          emptyArguments: defaultArguments(reason),
        }),
      ),
    ],
  };
}

function messageEdits(message: JsonObject, path: JsonPath): JsonEdit[] {
  const edits: JsonEdit[] = [];
  if (message.role !== 'assistant') edits.push(set([...path, 'role'], 'assistant'));
  if (message.content === undefined) edits.push(set([...path, 'content'], null));
  if (message.refusal === undefined) edits.push(set([...path, 'refusal'], null));
  return [
    ...edits,
    ...contentEdits(message, path),
    ...nullEdits(message, path, ['tool_calls', 'annotations']),
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
  // Some servers send an empty error beside a completion, for which OpenAI's clients throw.
  if (response.error) edits.push(remove(['error']));
  return hasKnownTier(response) ? edits : [...edits, set(['service_tier'], null)];
}

/** Clients that model the tier as an enum cannot parse another value, such as Groq's `on_demand`. */
export function hasKnownTier({ service_tier: tier = null }: JsonObject): boolean {
  return serviceTiers.includes(tier);
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
  if (!isJsonObject(usage)) return [];
  const wrong = Object.entries(countsOf(usage)).filter(([name, count]) => usage[name] !== count);
  const details = ['prompt_tokens_details', 'completion_tokens_details'].filter(
    (name) => usage[name] === null,
  );
  return [
    ...wrong.map(([name, count]) => set([...path, name], count)),
    ...details.map((name) => remove([...path, name])),
  ];
}

function countsOf(usage: JsonObject): Record<string, unknown> {
  const read = readOpenAiUsage(usage);
  if (read === null || read.missing !== undefined) return {};
  const input = inputTokens(read);
  return {
    prompt_tokens: input,
    completion_tokens: read.outputTokens,
    total_tokens: usage.total_tokens ?? input + read.outputTokens,
  };
}

/** Log probabilities must have both lists, either of which may be `null`. */
export function logprobsEdits(logprobs: unknown, path: JsonPath): JsonEdit[] {
  if (!isJsonObject(logprobs)) return logprobs === null ? [] : [set(path, null)];
  return ['content', 'refusal']
    .filter((name) => logprobs[name] === undefined)
    .map((name) => set([...path, name], null));
}
