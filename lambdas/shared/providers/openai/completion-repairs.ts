/** What a whole answer lacks of OpenAI's form, where a client would break on it. */
import { isJsonObject, type JsonObject, objectOf } from '../../domain/json.ts';
import type { ProviderCall } from '../provider.ts';
import { madeUpCallId } from '../translation/completion-sink.ts';
import { envelopeEdits, identityOf, logprobsEdits, usageEdits } from './answer-repairs.ts';
import { translatedReason } from './finish-reasons.ts';
import { type JsonEdit, type JsonPath, remove, set } from './json-edits.ts';
import { contentEdits, nullEdits, toolCallEdits } from './message-repairs.ts';

/** None for an answer that is right. */
export function completionEdits(answer: JsonObject, call: ProviderCall): JsonEdit[] {
  const identity = identityOf(answer, call);
  const choices = Array.isArray(answer.choices) ? answer.choices : [];
  return [
    ...envelopeEdits(answer, { object: 'chat.completion', identity }),
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
