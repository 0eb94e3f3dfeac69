/**
 * The settings with which agents use the gateway: https://code.claude.com/docs/en/llm-gateway-connect,
 * https://developers.openai.com/codex/config-advanced
 */

const families = ['opus', 'sonnet', 'haiku'] as const;

/** A model for each family that Claude Code asks for. */
export type ClaudeModels = Record<(typeof families)[number], string>;

const defaultModels: ClaudeModels = {
  opus: 'anthropic/claude-opus-5-5',
  sonnet: 'anthropic/claude-sonnet-5-5',
  haiku: 'anthropic/claude-haiku-5-5',
};

/** The providers of Claude, those that are preferred last. */
const providersByPreference = ['bedrock/', 'anthropic/'];

const byVersion = new Intl.Collator('en', { numeric: true });

/** `ids` are those of the models that have the Messages API. Another one stands in for a family without a model. */
export function claudeModels(ids: readonly string[]): ClaudeModels {
  const [opus, sonnet, haiku] = families.map((family) => newestOf(family, ids));
  const substitute = sonnet ?? opus ?? haiku ?? ids[0];
  if (substitute === undefined) return defaultModels;
  return { opus: opus ?? substitute, sonnet: sonnet ?? substitute, haiku: haiku ?? substitute };
}

/** Without variants, such as `claude-opus-5-fast`. */
function newestOf(family: string, ids: readonly string[]): string | undefined {
  const pattern = new RegExp(`claude-${family}-([\\d.v:-]+)$`);
  const preference = (id: string) => providersByPreference.findIndex((provider) => id.startsWith(provider));
  const version = (id: string) => pattern.exec(id)?.[1] ?? '';
  return ids
    .filter((id) => pattern.test(id))
    .toSorted(
      (one, other) => preference(other) - preference(one) || byVersion.compare(version(other), version(one)),
    )[0];
}

interface ClaudeCodeValues {
  /** Ends in `/ai`. */
  baseUrl: string;
  key: string;
  models: ClaudeModels;
}

/** Lines of a shell. */
export function claudeCodeSnippet({ baseUrl, key, models }: ClaudeCodeValues): string {
  return `export ANTHROPIC_BASE_URL=${shellWord(baseUrl)}
export ANTHROPIC_AUTH_TOKEN=${shellWord(key)}
export ANTHROPIC_MODEL=${shellWord(models.sonnet)}
export ANTHROPIC_DEFAULT_OPUS_MODEL=${shellWord(models.opus)}
export ANTHROPIC_DEFAULT_SONNET_MODEL=${shellWord(models.sonnet)}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${shellWord(models.haiku)}
claude  # npm install -g @anthropic-ai/claude-code
# Its sessions are those of logs and costs. Optional, to group by users too:
#   export ANTHROPIC_CUSTOM_HEADERS="gateway-user-id: ada"`;
}

export const defaultCodexModel = 'openai/gpt-6.2-sol';

/** The general models of OpenAI, by their versions. */
const generalModel = /^openai\/gpt-([\d.]+)-sol$/;

/**
 * The newest of OpenAI's general models or, without one, the first. `ids` are those of the models that have the Responses API;
 * returns `null` without any.
 */
export function codexModel(ids: readonly string[]): string | null {
  const version = (id: string) => generalModel.exec(id)?.[1] ?? '';
  const newest = ids
    .filter((id) => generalModel.test(id))
    .toSorted((one, other) => byVersion.compare(version(other), version(one)));
  return newest[0] ?? ids[0] ?? null;
}

interface CodexValues {
  /** Ends in `/ai`. */
  baseUrl: string;
  key: string;
  model: string;
}

/** A file in TOML, whose strings are written as those of JSON. */
export function codexSnippet({ baseUrl, key, model }: CodexValues): string {
  return `# ~/.codex/config.toml
model = ${JSON.stringify(model)}
model_provider = "gateway"

[model_providers.gateway]
name = "AI gateway"
base_url = ${JSON.stringify(baseUrl)}
env_key = "AI_GATEWAY_KEY"
wire_api = "responses"
# Its sessions are those of logs and costs. Optional, to group by users too:
# http_headers = { "gateway-user-id" = "ada" }

# In a shell:
#   export AI_GATEWAY_KEY=${shellWord(key)}
#   codex  # npm install -g @openai/codex`;
}

/** Text as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Without quotes where they would change nothing. */
function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : shellQuoted(text);
}
