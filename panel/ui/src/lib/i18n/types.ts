/** The forms that a counted message may have; `other` is the one for every language. */
export type Plural = { readonly one: string; readonly other: string; readonly many?: string };
export type Message = string | Plural;

/** The names in braces of a message: `Names<'{done} of {total}'>` is `'done' | 'total'`. */
type Names<S> = S extends `${string}{${infer N}}${infer Rest}` ? N | Names<Rest> : never;
type ParametersOf<M> = M extends string
  ? Names<M>
  : M extends Plural
    ? 'count' | Names<M['one']> | Names<M['other']>
    : never;

/** Arguments of `t` after the key: none for a message without braces. */
export type Arguments<M> = [ParametersOf<M>] extends [never]
  ? []
  : [parameters: Readonly<Record<ParametersOf<M>, string | number>>];

/** A catalogue with the keys of `C`, for another language: a missing or additional key is a type error. */
export type Translation<C> = { readonly [K in keyof C]: C[K] extends string ? string : Plural };

/** The messages of `T` whose parameters differ from those of `C`, each with what it needs. */
type Differing<C, T> = {
  [K in keyof C & keyof T as [ParametersOf<C[K]>, ParametersOf<T[K]>] extends [ParametersOf<T[K]>, ParametersOf<C[K]>]
    ? never
    : K]: { needs: ParametersOf<C[K]> };
};
type Additional<C, T> = { [K in Exclude<keyof T, keyof C>]: never };
type Missing<C, T> = { [K in Exclude<keyof C, keyof T>]: Message };

/** Checks a translation of `C`: every key, no other, and the same parameters in each message. */
export const translate =
  <C>() =>
  <const T extends Readonly<Record<string, Message>>>(messages: T & Missing<C, T> & Additional<C, T> & Differing<C, T>): T =>
    messages;
