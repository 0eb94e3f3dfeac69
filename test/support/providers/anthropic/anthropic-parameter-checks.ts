/** What the Messages API refuses in the parameters of a request, whatever the model. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { checkBlock, checkCacheControl, checkKeys, listed } from './anthropic-content-checks.ts';
import { refuse } from './anthropic-errors.ts';
import { checkCompiledSchema } from './anthropic-schema-checks.ts';

const keys = [
  'model',
  'messages',
  'max_tokens',
  'cache_control',
  'container',
  'inference_geo',
  'metadata',
  'output_config',
  'service_tier',
  'stop_sequences',
  'stream',
  'system',
  'temperature',
  'thinking',
  'tool_choice',
  'tools',
  'top_k',
  'top_p',
];

/** Fields that an `anthropic-beta` header unlocks; which header goes with which is not checked. */
const betaKeys = ['context_management', 'fallbacks', 'mcp_servers', 'speed'];

export function checkParameters(body: JsonObject, { beta }: { beta: boolean }): void {
  for (const key of ['model', 'max_tokens', 'messages']) {
    if (body[key] === undefined) refuse(`${key}: Field required`);
  }
  checkKeys('', body, beta ? [...keys, ...betaKeys] : keys);
  if (typeof body.model !== 'string') refuse('model: Input should be a valid string');
  if (!Number.isInteger(body.max_tokens)) refuse('max_tokens: Input should be a valid integer');
  if (Number(body.max_tokens) < 1) refuse('max_tokens: Input should be greater than or equal to 1');
  if (body.stream !== undefined && typeof body.stream !== 'boolean') {
    refuse('stream: Input should be a valid boolean');
  }
  checkUnitRange('temperature', body.temperature);
  checkUnitRange('top_p', body.top_p);
  if (body.top_k !== undefined && !Number.isInteger(body.top_k)) {
    refuse('top_k: Input should be a valid integer');
  }
  checkStopSequences(body.stop_sequences);
  checkSystem(body.system);
  checkMetadata(body.metadata);
  if (body.service_tier !== undefined) oneOf('service_tier', body.service_tier, ['auto', 'standard_only']);
  if (body.cache_control !== undefined) checkCacheControl('', body.cache_control);
  checkOutputConfig(body.output_config);
  checkThinkingShape(body.thinking);
}

function oneOf(path: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value !== 'string' || !allowed.includes(value)) {
    refuse(`${path}: Input should be ${listed(allowed)}`);
  }
}

function checkUnitRange(path: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== 'number') refuse(`${path}: Input should be a valid number`);
  if (value < 0 || value > 1) refuse(`${path}: range: 0..1`);
}

function checkStopSequences(sequences: unknown): void {
  if (sequences === undefined) return;
  if (!Array.isArray(sequences)) refuse('stop_sequences: Input should be a valid list');
  for (const [index, sequence] of sequences.entries()) {
    if (typeof sequence !== 'string') refuse(`stop_sequences.${index}: Input should be a valid string`);
    if (sequence.trim() === '') refuse('stop_sequences: each stop sequence must contain non-whitespace');
  }
}

function checkSystem(system: unknown): void {
  if (system === undefined || typeof system === 'string') return;
  if (!Array.isArray(system)) refuse('system: Input should be a valid list');
  for (const [index, block] of system.entries()) {
    if (!isJsonObject(block) || block.type !== 'text') {
      refuse(`system.${index}.type: Input should be 'text'`);
    }
    checkBlock(`system.${index}`, block, 'user');
  }
}

function checkMetadata(metadata: unknown): void {
  if (metadata === undefined) return;
  if (!isJsonObject(metadata)) refuse('metadata: Input should be a valid dictionary');
  checkKeys('metadata', metadata, ['user_id']);
}

function checkOutputConfig(config: unknown): void {
  if (config === undefined) return;
  if (!isJsonObject(config)) refuse('output_config: Input should be a valid dictionary');
  checkKeys('output_config', config, ['effort', 'format', 'task_budget']);
  const { format } = config;
  if (format === undefined) return;
  if (!isJsonObject(format) || format.type !== 'json_schema') {
    refuse("output_config.format.type: Input should be 'json_schema'");
  }
  checkKeys('output_config.format', format, ['type', 'schema']);
  checkCompiledSchema('output_config.format.schema', format.schema);
}

const thinkingKeys: Record<string, readonly string[]> = {
  adaptive: ['display', 'block_binding'],
  enabled: ['budget_tokens', 'display', 'block_binding'],
  disabled: [],
  between_tools: [],
};

function checkThinkingShape(thinking: unknown): void {
  if (thinking === undefined) return;
  const type = isJsonObject(thinking) ? String(thinking.type) : '';
  const allowed = thinkingKeys[type];
  if (!isJsonObject(thinking) || allowed === undefined) {
    refuse(
      `thinking: Input tag '${type}' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'`,
    );
  }
  checkKeys(`thinking.${type}`, thinking, ['type', ...allowed]);
  if (thinking.display !== undefined) {
    oneOf(`thinking.${type}.display`, thinking.display, ['summarized', 'omitted']);
  }
}
