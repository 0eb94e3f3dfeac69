/** The parts of a result that its caller sends back, in the neutral form. */
import type { AssistantPart, Payload } from '#lambdas/inference/completion/conversation.ts';
import { parseExactJson } from '#lambdas/platform/json/exact-json.ts';
import type { Result } from './results.ts';

/** A part without what depends on its place in a request. */
export type ExpectedPart =
  | { type: 'text' | 'reasoning'; text: string; payload: Payload | null }
  | { type: 'call'; id: string; name: string; arguments: string; payload: Payload | null };

/** Returns a part of a request for comparison. The input of a call becomes JSON with all digits. */
export function comparable(part: AssistantPart): ExpectedPart {
  const { payload } = part;
  if (part.type === 'text' || part.type === 'reasoning') return { type: part.type, text: part.text, payload };
  if (part.type !== 'call') throw new Error('The Messages API has no custom tools');
  return { type: 'call', id: part.id, name: part.name, arguments: JSON.stringify(part.arguments), payload };
}

/**
 * Text and reasoning without data continue in what follows, and blank text is left out. The data of a text at the end of a
 * message is lost, since a message cannot end with thinking.
 */
export function expectedParts({ segments, refusal }: Result): ExpectedPart[] {
  const parts: ExpectedPart[] = segments.flatMap((segment): ExpectedPart[] => {
    if (segment.type === 'redacted') return [{ type: 'reasoning', text: '', payload: segment.payload }];
    if (segment.type === 'calls') {
      return segment.calls.map((call) => ({
        type: 'call',
        ...call,
        arguments: JSON.stringify(parseExactJson(call.arguments)),
      }));
    }
    const { type, deltas, payload } = segment;
    return [{ type, text: deltas.join(''), payload }];
  });
  const generated = [...parts, { type: 'text', text: refusal, payload: null } as const].filter(
    (part) => part.type === 'call' || part.text !== '' || part.payload !== null,
  );
  const texts = joined(generated, 'text').filter((part) => part.type !== 'text' || part.text.trim() !== '');
  return joined(texts, 'reasoning').map((part, at, all) =>
    part.type === 'text' && at === all.length - 1 ? { ...part, payload: null } : part,
  );
}

function joined(parts: readonly ExpectedPart[], type: 'text' | 'reasoning'): ExpectedPart[] {
  const result: ExpectedPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const continues = part.type === type && last?.type === type && last.payload === null;
    // Withheld thinking has no text.
    if (!continues || part.payload?.kind === 'redacted') result.push(part);
    else result[result.length - 1] = { ...part, text: last.text + part.text };
  }
  return result;
}
