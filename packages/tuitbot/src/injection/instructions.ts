import { fold } from "./fold.ts";

/**
 * Finds open orders to a model, or imitated chat markup. Most attempts are subtler, so an unmarked text is no
 * safer.
 */
export function looksLikeInstructions(text: string): boolean {
  const folded = fold(text);
  return ORDERS.some((order) => order.test(folded));
}

/** English, German and Spanish. */
const ORDERS: readonly RegExp[] = [
  /<\/?(?:data|system|assistant|user|tool|instructions?|tool_result|function)[\s>_]|\[(?:system|inst|assistant)\]|<\|/,
  /\b(?:ignore|disregard|forget|override|ignoriere?|vergiss|missachte|ignora|olvida) (?:(?:all|any|your|the|alle|deine|das|die|todas?|tus?|las|el|la) )*(?:previous|prior|above|earlier|instructions?|rules|guidelines|prompt|anweisungen|regeln|bisherigen|vorherigen|instrucciones|reglas|anteriores)\b/,
  /\b(?:note|notice|attention|hinweis|nota|atención) (?:to|for|für|para) (?:all |any |alle )?(?:ai|ki|ia|ll?ms?|bots?|language models?|sprachmodelle?|modelos?|assistants?)\b/,
  /\b(?:system|developer) (?:prompt|message|note|instruction)s?\b|\bsystemnachricht\b|\bmensaje del sistema\b/,
  /\b(?:you are now|from now on you|du bist (?:jetzt|nun)|ab jetzt bist du|ahora eres|a partir de ahora eres) /,
  /\b(?:print|show|reveal|restate|repeat|output) (?:everything above|your (?:prompt|instructions|guidelines|rules))|\bgib alles aus, was über|\bmuestra todo lo que hay por encima/,
  /\b(?:reply|answer|respond|antworte|responde|contesta) (?:only|just|exactly|nur|genau|solo|sólo|exactamente) (?:with|mit|con)\b/,
];
