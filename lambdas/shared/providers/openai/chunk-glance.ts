/**
 * Whether a chunk is a piece of text with everything in its place, told by a look at its characters: most are, and to
 * parse and write each of them would cost more than all else that the gateway does.
 */
import { type JsonMember, jsonMembers } from '../../domain/json-members.ts';

export interface ChunkGlance {
  /** Learns from the text of a chunk that was right what all chunks of this answer have in common. */
  learn(data: string): void;
  isRightPiece(event: Buffer): boolean;
}

/** All that makes a chunk worth reading. Text of an answer has its quotes escaped, so it cannot look like these. */
const suspicious =
  /"(role|tool_calls|function_call|x_groq)"\s*:|"(usage|error|finish_reason|logprobs|reasoning)"\s*:(?!\s*null)/;

/** Of what every chunk has. */
const common = ['id', 'object', 'created', 'model'];

export function createChunkGlance(): ChunkGlance {
  let wanted: string[] | null = null;
  return {
    learn(data) {
      if (wanted !== null) return;
      const members = jsonMembers(data, data.indexOf('{'));
      const found = common.map((name) => members.find(({ key }) => key === name));
      if (found.every((member) => member !== undefined))
        wanted = found.map((member) => memberText(data, member));
    },
    isRightPiece(event) {
      if (wanted === null) return false;
      const text = event.toString('latin1');
      return (
        text.includes('"delta"') &&
        text.includes('"index"') &&
        text.includes('"finish_reason"') &&
        /"content"\s*:\s*"/.test(text) &&
        wanted.every((part) => text.includes(part)) &&
        !suspicious.test(text)
      );
    },
  };
}

/** The member as it is written, with its name. */
function memberText(data: string, { key, start, end }: JsonMember): string {
  return data.slice(data.lastIndexOf(`"${key}"`, start), end);
}
