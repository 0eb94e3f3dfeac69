/**
 * Renders instructions between turns as text of the user, at their place. Most native APIs accept instructions only at the
 * front, where a new one would take effect too early and invalidate the cached prompt.
 */
import type { TextPart } from '#lambdas/inference/completion/content.ts';
import type { DialogTurn, SystemTurn, UserTurn } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { ChangedRequest } from './opening-turn.ts';

/** Reports the changed role. */
export function withoutSystemTurns(request: CompletionRequest): ChangedRequest {
  const turns: DialogTurn[] = [];
  let isChanged = false;
  for (const turn of request.turns) {
    isChanged ||= turn.role === 'system';
    const dialogTurn = turn.role === 'system' ? asUserTurn(turn) : turn;
    const last = turns.at(-1);
    if (last?.role === 'user' && dialogTurn.role === 'user') turns.splice(-1, 1, merged(last, dialogTurn));
    else turns.push(dialogTurn);
  }
  return { request: { ...request, turns }, ignored: isChanged ? [request.names.role] : [] };
}

function asUserTurn({ parts }: SystemTurn): UserTurn {
  return { role: 'user', toolResults: [], parts: parts.map(marked) };
}

function marked(part: TextPart): TextPart {
  return part.text.trim() === '' ? part : { ...part, text: `<system>\n${part.text}\n</system>` };
}

function merged(first: UserTurn, second: UserTurn): UserTurn {
  return {
    role: 'user',
    toolResults: [...first.toolResults, ...second.toolResults],
    parts: [...first.parts, ...second.parts],
  };
}
