/**
 * Scripted completions in the format of the Messages API, with signatures that it takes back with their thinking only:
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
import type { MessagesRequest } from '../anthropic/request-schema.ts';
import type { Block, Turn as MessagesTurn } from '../anthropic/scripted-turns.ts';
import { isSignatureOf, signatureOf } from './signatures.ts';
import { type Failure, type Part, type Turn, uniqueLetters } from './turns.ts';

const failures: Record<Failure, { status: number; type: string; message: string }> = {
  overloaded: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    message: 'This request would exceed your account’s rate limit. Please try again later.',
  },
  server_error: { status: 500, type: 'api_error', message: 'Internal server error' },
  context_full: {
    status: 400,
    type: 'invalid_request_error',
    message: 'prompt is too long: 213462 tokens > 200000 maximum',
  },
};

export function toMessagesTurn(turn: Turn, request: MessagesRequest, requestId: string): MessagesTurn {
  if (!('parts' in turn)) return failures[turn.failure];
  const { input, output, cached = 0 } = turn.usage;
  return {
    blocks: turn.parts.flatMap((part, position) => blocksOf(part, position, { request, requestId })),
    usage: { input_tokens: input - cached, output_tokens: output, cache_read_input_tokens: cached },
    ...(turn.broken !== undefined && { broken: turn.broken }),
  };
}

function blocksOf(
  part: Part,
  position: number,
  { request: { thinking }, requestId }: { request: MessagesRequest; requestId: string },
): Block[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'reasoning': {
      if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return [];
      const shown = thinking.display === 'omitted' ? '' : part.text;
      return [{ type: 'thinking', thinking: shown, signature: signatureOf(requestId, shown) }];
    }
    case 'call': {
      const id = `toolu_${uniqueLetters(requestId, position, 24)}`;
      return [{ type: 'tool_use', id, name: part.name, input: part.input }];
    }
    default:
      return part satisfies never;
  }
}

/** Refuses thinking that is changed, and signatures of others. */
export function changedThinkingRejection({ messages }: MessagesRequest): string | null {
  for (const [at, { content }] of messages.entries()) {
    if (typeof content === 'string') continue;
    const position = content.findIndex(
      (block) => block.type === 'thinking' && !isSignatureOf(block.signature, block.thinking),
    );
    if (position >= 0)
      return `messages.${at}.content.${position}: Invalid \`signature\` in \`thinking\` block`;
  }
  return null;
}
