/** The lines of functions in the output of the local run. */
import { isJsonObject, type JsonObject, parseJson } from '#lambdas/platform/json/json.ts';

export interface FunctionLine {
  /** The display name of the function. */
  functionName: string;
  fields: JsonObject;
}

/** Returns `null` for any other line of the local run. */
export function parseFunctionLine(line: string): FunctionLine | null {
  const [, functionName = '', text = ''] = /^\[(\w+)\] (\{.*\})$/s.exec(line) ?? [];
  const fields = parseJson(text);
  return isJsonObject(fields) ? { functionName, fields } : null;
}

/** Whether all invocations of the function that the lines tell of have ended. */
export function haveEnded(lines: readonly FunctionLine[], functionName: string): boolean {
  const count = (type: string) =>
    lines.filter((line) => line.functionName === functionName && line.fields.type === type).length;
  return count('platform.start') === count('platform.report');
}
