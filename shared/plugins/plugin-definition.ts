import type { z } from 'zod';
import type { JsonObject } from '../model/json.ts';
import type { PluginId } from '../model/plugin-id.ts';
import type { Rule } from './rule.ts';

/** One side of a plugin: the shape of its environment and what is checked beyond the shape. */
export interface EnvironmentDefinition {
  /** Strict object; every leaf has `FieldMeta`; optional keys are optional here, required ones are not. */
  readonly schema: z.ZodObject;
  readonly rules: readonly Rule[];
  /**
   * Other spellings that the specification itself shows: accepted with a warning. Both at once is an error at the odd
   * one. Paths are dotted for nested keys.
   */
  readonly acceptedSpellings: Readonly<Record<string, string>>;
  /** Keys that people bring along from elsewhere: refused, with this key suggested (first tier). */
  readonly knownAliases: Readonly<Record<string, string>>;
  /** Set where a provider configuration gives defaults. */
  readonly providerConfiguration?: ProviderConfigurationDefinition;
}

export interface ProviderConfigurationDefinition {
  /** INI section, without brackets. */
  readonly section: string;
  readonly schema: z.ZodObject;
  /** How a configuration key reaches the environment when it is not simply the same name and overridden. */
  readonly mergeRules: readonly (
    | { readonly kind: 'join'; readonly from: string; readonly into: string }
    | { readonly kind: 'merge-under'; readonly from: string; readonly into: string }
  )[];
}

export interface PluginDefinition {
  readonly id: PluginId;
  readonly title: string;
  /** The product as its vendor writes it, where the plugin is for one alone: what people look for in a list. */
  readonly productName?: string;
  /** Names of the products that the plugin is for, in lower case with underscores, as other tools write them. */
  readonly products: readonly string[];
  /** What everybody has to know who uses the platform at all, in a sentence for the manual. */
  readonly notice?: string;
  /** What the endpoint form asks for. Secrets are marked in the metadata. */
  readonly connection: z.ZodObject;
  /** Whether an endpoint of this connection is signed in to by a person, with a code that is entered in a browser. */
  readonly signsInByPerson?: (connection: JsonObject) => boolean;
  readonly source?: EnvironmentDefinition;
  readonly destination?: EnvironmentDefinition;
}

/** A platform with the product that people know it by: `Large public cloud (AWS)`. */
export function platformLabel({ title, productName }: Pick<PluginDefinition, 'title' | 'productName'>): string {
  return productName === undefined ? title : `${title} (${productName})`;
}

/** The plugin for a product, by any usual spelling of its name. */
export function pluginOfProduct(name: string, plugins: Iterable<PluginDefinition>): PluginDefinition | undefined {
  const wanted = name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  for (const plugin of plugins) if (plugin.products.includes(wanted)) return plugin;
  return undefined;
}
