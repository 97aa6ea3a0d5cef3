/** The forms of a text by the categories of a language's plurals; `#` stands for the number. */
export type PluralForms = { readonly [F in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** Texts about a number: the form that the language's rules choose, with the number as the language writes it. */
export function pluralsOf(language: string): (count: number, forms: PluralForms) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replaceAll('#', numbers.format(count));
}
