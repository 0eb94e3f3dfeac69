/** Code that sends a first request with a new key. */

export const snippetLanguages = ['curl', 'Python', 'TypeScript'] as const;

export type SnippetLanguage = (typeof snippetLanguages)[number];

export interface SnippetValues {
  /** As OpenAI clients expect it: ends in `/ai`. */
  baseUrl: string;
  key: string;
  model: string;
}

export const snippets: Record<SnippetLanguage, (values: SnippetValues) => string> = {
  curl: ({ baseUrl, key, model }) => {
    const body = `{
    "model": ${JSON.stringify(model)},
    "messages": [{"role": "user", "content": "Hello!"}]
  }`;
    return `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d ${shellQuoted(body)}
# Optional, to group usage in logs and costs:
#   -H "gateway-user-id: ada"
#   -H "gateway-session-id: session-1"
#   -H "gateway-prompt-id: greeting"`;
  },

  Python: ({ baseUrl, key, model }) => `from openai import OpenAI  # pip install openai

client = OpenAI(
    base_url=${JSON.stringify(baseUrl)},
    api_key=${JSON.stringify(key)},
)
completion = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello!"}],
    # Optional, to group usage in logs and costs:
    # extra_headers={
    #     "gateway-user-id": "ada",
    #     "gateway-session-id": "session-1",
    #     "gateway-prompt-id": "greeting",
    # },
)
print(completion.choices[0].message.content)`,

  TypeScript: ({ baseUrl, key, model }) => `import OpenAI from "openai"; // npm install openai

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: ${JSON.stringify(key)},
});
const completion = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: "user", content: "Hello!" }],
}, {
  // Optional, to group usage in logs and costs:
  // headers: {
  //   "gateway-user-id": "ada",
  //   "gateway-session-id": "session-1",
  //   "gateway-prompt-id": "greeting",
  // },
});
console.log(completion.choices[0]?.message.content);`,
};

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
