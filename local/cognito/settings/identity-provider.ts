/** The settings of a federated provider. https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cognito-userpoolidentityprovider.html */
import { asList, asObject, asString, optionalString } from '#local/untyped-json.ts';
import type { ResolvedResource } from './resolved-resource.ts';

export interface IdentityProviderSettings {
  name: string;
  /** Such as `OIDC` or `SAML`; only `OIDC` is emulated. */
  type: string;
  /** Values of `idp_identifier` that lead to the provider. */
  identifiers: string[];
  issuer: string;
  clientId: string;
  scopes: string;
  /** Names of the provider's claims, by the names of the pool's attributes. */
  attributeMapping: Record<string, string>;
}

export function readIdentityProvider({ logicalId, properties }: ResolvedResource): IdentityProviderSettings {
  const details = asObject(properties.ProviderDetails ?? {}, `${logicalId}.ProviderDetails`);
  const detail = (name: string) => optionalString(details[name], `${logicalId}.ProviderDetails.${name}`);
  const mapping = asObject(properties.AttributeMapping ?? {}, `${logicalId}.AttributeMapping`);
  return {
    name: asString(properties.ProviderName, `${logicalId}.ProviderName`),
    type: asString(properties.ProviderType, `${logicalId}.ProviderType`),
    identifiers: asList(properties.IdpIdentifiers).map((value) =>
      asString(value, `${logicalId}.IdpIdentifiers`),
    ),
    issuer: detail('oidc_issuer') ?? '',
    clientId: detail('client_id') ?? '',
    scopes: detail('authorize_scopes') ?? 'openid',
    attributeMapping: Object.fromEntries(
      Object.entries(mapping).map(([attribute, claim]) => [
        attribute,
        asString(claim, `${logicalId}.AttributeMapping.${attribute}`),
      ]),
    ),
  };
}
