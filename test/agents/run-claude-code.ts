/** Runs Claude Code with the variables of docs/agents.md: https://code.claude.com/docs/en/llm-gateway-protocol */
import { expect } from 'vitest';
import type { LocalGateway } from '#local/local-gateway.ts';
import type { Workspace } from './run-agent.ts';

export interface ClaudeCodeRun {
  program: string;
  gateway: LocalGateway;
  workspace: Workspace;
  model: string;
  prompt: string;
  options?: readonly string[];
  environment?: NodeJS.ProcessEnv;
}

export interface ClaudeCodeResult {
  result: string;
  session_id: string;
  usage: { input_tokens: number; output_tokens: number; cache_read_input_tokens: number };
}

/** The lines of docs/agents.md, and those that keep the runs offline. */
function environmentFor({ gateway: { chatUrl, apiKey }, model }: ClaudeCodeRun): NodeJS.ProcessEnv {
  return {
    ANTHROPIC_BASE_URL: `${chatUrl}/ai`,
    ANTHROPIC_AUTH_TOKEN: apiKey,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '3',
  };
}

export function startClaudeCode(run: ClaudeCodeRun) {
  const { program, workspace, prompt, options = [] } = run;
  const tools = ['--allowedTools', 'Read', 'Edit', 'Bash'];
  const args = ['-p', prompt, '--output-format', 'json', ...options, ...tools];
  return workspace.run(program, args, { ...environmentFor(run), ...run.environment });
}

/** Claude Code warns of models that it does not know, on a line of its own. */
const unknownModelWarning = /^\[claude-code:unrecognized_model\] .*\n/gm;

export async function runClaudeCode(run: ClaudeCodeRun): Promise<ClaudeCodeResult> {
  const { code, output, errors } = await startClaudeCode(run).exited;
  expect(`${code} ${errors.replaceAll(unknownModelWarning, '')}`).toBe('0 ');
  const result: ClaudeCodeResult = JSON.parse(output);
  return result;
}
