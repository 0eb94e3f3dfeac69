/**
 * A JSON Schema of the types in Anthropic's SDK, which is generated from the API's unpublished description: what the types
 * require is required, and nothing else is allowed.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ESTree, parseSync } from 'vite';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

type Declaration = ESTree.TSInterfaceDeclaration | ESTree.TSTypeAliasDeclaration;

const declarations = new Map<string, Declaration>();
for (const file of ['resources/shared', 'resources/messages/messages']) {
  const path = fileURLToPath(import.meta.resolve(`@anthropic-ai/sdk/${file}`)).replace(/\.mjs$/, '.d.ts');
  collect(parseSync(path, readFileSync(path, 'utf8')).program.body, '');
}

function collect(statements: readonly ESTree.Node[], scope: string): void {
  for (const statement of statements) {
    const node =
      statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? statement) : statement;
    if (node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration')
      declarations.set(scope + node.id.name, node);
    else if (node.type === 'TSModuleDeclaration' && node.id.type === 'Identifier')
      collect(node.body?.body ?? [], `${scope}${node.id.name}.`);
  }
}

/** Returns the schema of the type with this name, and of all types that it consists of. */
export function sdkSchema(name: string): JsonObject {
  const $defs: JsonObject = {};
  const define = (type: string): void => {
    if (Object.hasOwn($defs, type)) return;
    $defs[type] = {};
    $defs[type] = schemaOf(declarationOf(type), define);
  };
  define(name);
  return { $ref: reference(name), $defs };
}

function declarationOf(name: string): Declaration {
  const declaration = declarations.get(name);
  if (declaration === undefined) throw new Error(`The SDK has no type ${name}`);
  return declaration;
}

function reference(name: string): string {
  return `#/$defs/${name}`;
}

/** `define` is called with the name of each type that the schema refers to. */
function schemaOf(node: ESTree.Node, define: (name: string) => void): JsonObject {
  const inner = (child: ESTree.Node) => schemaOf(child, define);
  switch (node.type) {
    case 'TSTypeAliasDeclaration':
    case 'TSParenthesizedType':
      return inner(node.typeAnnotation);
    case 'TSInterfaceDeclaration': {
      if (node.extends.length > 0) throw new Error(`The type ${node.id.name} extends another`);
      return objectSchema(node.body.body, inner);
    }
    case 'TSUnionType':
      return unionSchema(node.types, inner);
    case 'TSTypeReference': {
      const [element] = node.typeArguments?.params ?? [];
      const name = nameOf(node.typeName);
      if (name === 'Array' && element !== undefined) return { type: 'array', items: inner(element) };
      define(name);
      return { $ref: reference(name) };
    }
    case 'TSIntersectionType':
      // `string & {}` stands for any string beside the known ones.
      return { type: 'string' };
    case 'TSLiteralType':
      return { const: 'value' in node.literal ? node.literal.value : null };
    case 'TSStringKeyword':
      return { type: 'string' };
    case 'TSBooleanKeyword':
      return { type: 'boolean' };
    case 'TSNumberKeyword':
      // All are counts and indexes.
      return { type: 'integer', minimum: 0 };
    case 'TSNullKeyword':
      return { type: 'null' };
    case 'TSUnknownKeyword':
      return {};
    default:
      throw new Error(`The SDK's types contain ${node.type}`);
  }
}

function nameOf(name: ESTree.Node): string {
  if (name.type === 'Identifier') return name.name;
  if (name.type !== 'TSQualifiedName') throw new Error(`A name is ${name.type}`);
  const left = nameOf(name.left);
  return left.endsWith('API') ? name.right.name : `${left}.${name.right.name}`;
}

function objectSchema(members: readonly ESTree.Node[], inner: (node: ESTree.Node) => JsonObject): JsonObject {
  const required: string[] = [];
  const properties: JsonObject = {};
  for (const member of members) {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier' || !member.typeAnnotation)
      throw new Error(`An interface of the SDK contains ${member.type}`);
    if (!member.optional) required.push(member.key.name);
    properties[member.key.name] = inner(member.typeAnnotation.typeAnnotation);
  }
  return { type: 'object', required, properties, additionalProperties: false };
}

/** A union of objects with different types is chosen by the type, so that problems are those of one of them. */
function unionSchema(types: readonly ESTree.Node[], inner: (node: ESTree.Node) => JsonObject): JsonObject {
  const members = types.map(inner);
  if (!types.every(isTagged)) return { anyOf: members };
  const discriminator = { propertyName: 'type' };
  return { type: 'object', required: ['type'], discriminator, oneOf: members };
}

function isTagged(node: ESTree.Node): boolean {
  if (node.type !== 'TSTypeReference' || node.typeArguments) return false;
  const declaration = declarationOf(nameOf(node.typeName));
  return (
    declaration.type === 'TSInterfaceDeclaration' &&
    declaration.body.body.some(
      (member) =>
        member.type === 'TSPropertySignature' &&
        member.key.type === 'Identifier' &&
        member.key.name === 'type',
    )
  );
}
