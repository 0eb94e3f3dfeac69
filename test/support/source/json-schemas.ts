/**
 * JSON schemas of the project's types, as the compiler resolves them. Its interface is unstable: an update of TypeScript may need
 * a change here, and nowhere else.
 */
import path from 'node:path';
import { API, type Checker, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync';
import { projectRoot } from './modules.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

export interface InterfaceName {
  /** Relative to the project's root. */
  file: string;
  name: string;
}

interface FieldSchemas {
  /** By the name of the field. */
  fields: ReadonlyMap<string, JsonSchema>;
  /** The schemas of objects, to which the others refer as `#/$defs/…`. */
  $defs: Readonly<Record<string, JsonSchema>>;
}

/**
 * The schemas of all fields of some interfaces, which refuse objects with fields that their types lack. Throws an `Error` for a
 * type that accepts anything, or that JSON does not have.
 */
export function fieldSchemas(interfaces: readonly InterfaceName[]): FieldSchemas {
  const config = path.join(projectRoot, 'json-schemas.tsconfig.json');
  const files = interfaces.map(({ file }) => path.join(projectRoot, file));
  const content = JSON.stringify({ extends: './tsconfig.json', files, include: [] });
  const api = new API({
    cwd: projectRoot,
    // The configuration of the project has all files, which take seconds to read. All others come from the disk.
    fs: { readFile: (name) => (name === config ? content : undefined) },
  });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error('The compiler has not opened the project');
    const { checker, program } = project;
    const schemas = createSchemas(checker);
    const fields = interfaces.flatMap(({ name }, index) => {
      const declared = checker.resolveName(
        name,
        SymbolFlags.Interface,
        program.getSourceFile(files[index] ?? ''),
      );
      if (declared === undefined) throw new Error(`There is no interface ${name}`);
      return schemas.fieldsOf(checker.getDeclaredTypeOfSymbol(declared));
    });
    return { fields: new Map(fields.map(({ name, schema }) => [name, schema])), $defs: schemas.$defs };
  } finally {
    api.close();
  }
}

interface FieldSchema {
  name: string;
  schema: JsonSchema;
  isOptional: boolean;
}

function createSchemas(checker: Checker) {
  const $defs: Record<string, JsonSchema> = {};

  const fieldsOf = (type: Type): FieldSchema[] =>
    checker.getPropertiesOfType(type).map((property) => {
      const fieldType = checker.getTypeOfSymbol(property);
      if (fieldType === undefined) throw new Error(`The type of ${property.name} is unknown`);
      const isOptional = (property.flags & SymbolFlags.Optional) !== 0;
      return { name: property.name, schema: schemaOf(fieldType), isOptional };
    });

  const objectSchema = (type: Type): JsonSchema => {
    const fields = fieldsOf(type);
    const [index] = checker.getIndexInfosOfType(type);
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
      additionalProperties: index === undefined ? false : valueSchema(index.valueType),
    };
  };

  /** Any value in an object of any JSON, such as the parameters of a request. */
  const valueSchema = (type: Type): JsonSchema => (type.flags & TypeFlags.Unknown ? {} : schemaOf(type));

  const compositeSchema = (type: Type): JsonSchema => {
    if (type.isUnionType()) {
      const members = type.getTypes().filter(({ flags }) => (flags & TypeFlags.Undefined) === 0);
      return { anyOf: members.map(schemaOf) };
    }
    if (checker.isArrayType(type) && type.isTypeReference()) {
      const [element] = checker.getTypeArguments(type);
      if (element !== undefined) return { type: 'array', items: schemaOf(element) };
    }
    if ((type.isObjectType() && !checker.isTupleType(type)) || type.isIntersectionType())
      return objectSchema(type);
    throw new Error(`No schema for the type ${checker.typeToString(type)}`);
  };

  const schemaOf = (type: Type): JsonSchema => {
    if (type.isLiteralType()) return { const: type.value };
    if (type.flags & TypeFlags.Null) return { type: 'null' };
    if (type.flags & TypeFlags.String) return { type: 'string' };
    if (type.flags & TypeFlags.Number) return { type: 'number' };
    // Once for each type, so that a type may contain itself.
    const name = `type-${type.id}`;
    if (!Object.hasOwn($defs, name)) {
      $defs[name] = {};
      $defs[name] = compositeSchema(type);
    }
    return { $ref: `#/$defs/${name}` };
  };

  return { $defs, fieldsOf };
}
