/** Finds the policies in a template, with resolved ARNs. */
import { asList, isObject, type JsonObject } from '#local/untyped-json.ts';
import type { ResolvedTemplate } from './resolver.ts';
import { type Template, visitObjects } from './template.ts';

export interface PolicyStatement {
  path: string;
  /** The policy of a role, that of a resource such as a queue, or the one that states who may assume a role. */
  kind: 'identity' | 'resource' | 'trust';
  statement: JsonObject;
}

/** Returns the statements of all policy documents, wherever they are: each is an object with the field `Statement`. */
export function policyStatements(template: Template, { resolve }: ResolvedTemplate): PolicyStatement[] {
  const found: PolicyStatement[] = [];
  for (const [logicalId, { Type, Properties }] of Object.entries(template.Resources)) {
    visitObjects(Properties, `${logicalId}.Properties`, (object, path) => {
      for (const [index, statement] of asList(object.Statement).entries()) {
        const resolved = resolve(statement);
        if (!isObject(resolved)) continue;
        found.push({ path: `${path}.Statement[${index}]`, kind: kindOf(Type, path), statement: resolved });
      }
    });
  }
  return found;
}

function kindOf(type: string, path: string): PolicyStatement['kind'] {
  if (path.endsWith('.AssumeRolePolicyDocument')) return 'trust';
  return type.startsWith('AWS::IAM::') ? 'identity' : 'resource';
}
