/** Collects the facts for the log from the events of a message, or from a whole message as its events. */
import { loggedFinish, readFinish, resolveFinish } from '#lambdas/inference/completion/finish-reasons.ts';
import type { NativeContext } from '#lambdas/inference/providers/native/origin.ts';
import { readReportedCost } from '#lambdas/inference/providers/reported-cost.ts';
import { type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import { createBillingReader } from '../billing.ts';

interface FactsReader {
  read(event: JsonObject): void;
}

export function createFactsReader({ origin, facts }: NativeContext): FactsReader {
  const billing = createBillingReader({ billing: (changes) => Object.assign(facts, changes) }, origin.model);
  let toolCalls = 0;
  return {
    read(event) {
      billing.read(event);
      const cost = readReportedCost(usageOf(event), origin.reportedCost);
      // The last statement of it, at the end of a stream.
      if (cost !== null) facts.reportedCostUsd = cost;
      switch (event.type) {
        case 'message_start': {
          const { id, model } = objectOrEmpty(event.message);
          facts.responseId = stringOrEmpty(id) || null;
          facts.responseModel = stringOrEmpty(model) || null;
          break;
        }
        case 'content_block_start': {
          const { type, to } = objectOrEmpty(event.content_block);
          if (type === 'tool_use') toolCalls += 1;
          // The rest of the message is written by another model.
          if (type === 'fallback')
            facts.responseModel = stringOrEmpty(objectOrEmpty(to).model) || facts.responseModel;
          break;
        }
        case 'message_delta': {
          const word = stringOrEmpty(objectOrEmpty(event.delta).stop_reason);
          if (word === '') break;
          facts.finished = true;
          facts.finishReason = loggedReason(word, toolCalls);
        }
      }
    },
  };
}

function usageOf({ message, usage }: JsonObject): unknown {
  return usage ?? objectOrEmpty(message).usage;
}

/** The reason in the words of the other operations, so that entries can be compared. */
function loggedReason(word: string, toolCalls: number): string {
  const finish = readFinish(word);
  const reason = resolveFinish(finish, { toolCalls, hasOutput: true }, { choosesFunction: false });
  return reason === null ? word : loggedFinish(finish, reason);
}
