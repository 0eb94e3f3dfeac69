/**
 * The signed thoughts of an answer, in the field that others have for them too: `thinking_blocks`.
 * https://docs.litellm.ai/docs/reasoning_content
 */
import type { ClaudeThought } from './claude-thinking.ts';
import type { ChoiceSink } from './completion-sink.ts';

export interface ThinkingBlocks {
  put(thought: ClaudeThought): void;
  /** The answer goes on with something that is no thought. */
  end(): void;
}

/**
 * Only thoughts that begin the answer can be given back: OpenAI's format does not tell between which words or calls
 * the others stood, and in any other place the API takes them for modified.
 * https://platform.claude.com/docs/en/build-with-claude/thinking#preserving-thinking-blocks,
 * https://github.com/BerriAI/litellm/pull/23093
 */
export function createThinkingBlocks(choice: ChoiceSink): ThinkingBlocks {
  let ended = false;
  return {
    put(thought) {
      const isWhole = thought.type === 'redacted_thinking' || thought.signature !== '';
      if (!ended && isWhole) choice.extra({ thinking_blocks: [thought] });
    },
    end() {
      ended = true;
    },
  };
}
