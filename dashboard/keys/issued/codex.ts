/** The settings with which Codex uses the gateway: https://developers.openai.com/codex/config-advanced */
import { shellWord } from './shell-word.ts';

export const defaultCodexModel = 'openai/gpt-6.2-sol';

/** The general models of OpenAI, by their versions. */
const generalModel = /^openai\/gpt-([\d.]+)-sol$/;

const byVersion = new Intl.Collator('en', { numeric: true });

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
