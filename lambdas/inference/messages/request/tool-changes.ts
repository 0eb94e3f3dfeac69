/**
 * Tools that are added or withdrawn within a conversation. Providers without such changes get the tools as they are at its end.
 * https://platform.claude.com/docs/en/api/beta/messages/create
 */
import { readOptionalList } from '#lambdas/platform/json/fields.ts';
import { isJsonObject, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';

interface PlacedTool {
  tool: unknown;
  /** Its path in the request. */
  param: string;
}

/** True for a block of a system message that changes the tools. */
export function isToolChange({ type }: JsonObject): boolean {
  return type === 'tool_addition' || type === 'tool_removal';
}

/** Lists the tools that the model is offered next. A definition replaces an earlier one with the same name. */
export function currentTools(body: JsonObject): PlacedTool[] {
  const declared = readOptionalList(body.tools, 'tools');
  const tools = declared.map((tool, index) => ({ tool, param: `tools.${index}` }));
  const defined = [...tools];
  let offered: PlacedTool[] = tools;
  for (const { type, tool, param } of listChanges(body.messages)) {
    const name = nameOf(tool.type === 'tool_definition' ? tool.definition : tool);
    const others = offered.filter((placed) => nameOf(placed.tool) !== name);
    if (type === 'tool_removal') {
      offered = others;
      continue;
    }
    if (tool.type === 'tool_definition')
      defined.push({ tool: tool.definition, param: `${param}.definition` });
    const added = defined.findLast((placed) => nameOf(placed.tool) === name);
    if (added !== undefined) offered = [...others, added];
  }
  return offered;
}

interface ToolChange {
  type: unknown;
  tool: JsonObject;
  param: string;
}

function listChanges(messages: unknown): ToolChange[] {
  return (Array.isArray(messages) ? messages : []).flatMap((message, index) => {
    const { role, content } = objectOrEmpty(message);
    if (role !== 'system' || !Array.isArray(content)) return [];
    return content.flatMap((block, at) =>
      isJsonObject(block) && isToolChange(block)
        ? [
            {
              type: block.type,
              tool: objectOrEmpty(block.tool),
              param: `messages.${index}.content.${at}.tool`,
            },
          ]
        : [],
    );
  });
}

function nameOf(tool: unknown): string {
  return stringOrEmpty(objectOrEmpty(tool).name);
}
