export interface Permission {
  actions: string[];
  resources: string[];
}

/** The part of a function to which a `grant…` method gives a permission and an environment variable. */
export interface Grantee {
  allow(permission: Permission): void;
  addEnvironment(name: string, value: string): unknown;
}
