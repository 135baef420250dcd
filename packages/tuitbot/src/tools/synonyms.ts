/** For tool search, in English, German and Spanish. */
export const synonyms: readonly (readonly string[])[] = `
post tweet tweets tweeten twittern tuit tuitear publish beitrag beiträge publicar publicación veröffentlichen posten absetzen
reply replies answer respond response comment antwort antworten beantworten kommentar responder respuesta contestar comentario
delete remove discard erase kick throw löschen entfernen verwerfen borrar eliminar quitar descartar
mention mentions mentioned erwähnung erwähnen erwähnt mencionar mención
mute silence hush stumm stummschalten silenciar
block blockieren sperren bloquear
follower followers fan fans seguidor seguidores
follow folgen folge folgt seguir sigue sigo
unfollow unfollowing entfolgen
list lists liste listen lista listas
message messages dm dms chat inbox nachricht nachrichten direktnachricht postfach mensaje mensajes buzón
bookmark save lesezeichen merken speichern marcador marcadores guardar
schedule plan planned plant planen geplant geplante postpone postponed delay terminieren verschieben programar programado aplazar calendar kalender calendario
draft drafts entwurf entwürfe borrador borradores
recurring recur repeat repeatedly every regularly jeden jede jedes wiederholen regelmäßig cada repetir
picture photo image video gif screenshot clip media bild bilder foto imagen imágenes
upload attach hochladen anhängen subir adjuntar
cost costs money spend spent spending price bill budget credit credits dollar dollars fee invoice kosten geld ausgegeben ausgeben ausgaben preis rechnung dinero gastar gastado gasto coste costo precio factura
hour hours time times clock uhrzeit zeit stunde zeitpunkt hora horas momento
best good top ideal beste bester bestes besten gut mejor mejores bueno
statistics stats analytics metrics figures numbers performance perform performed report results insights zahlen statistik auswertung bericht ergebnisse estadística cifras informe rendimiento resultados
topic topics subject subjects theme thema themen tema temas
idea ideas inspiration suggestion suggestions suggest vorschlag vorschläge vorschlagen idee sugerencia sugerir
search find look suchen suche finden buscar encontrar
poll polls survey vote voting umfrage abstimmung abstimmen encuesta votar
article articles artikel artículo
several multiple few batch mehrere varios varias
approve approval approvals confirm freigabe freigeben genehmigen genehmigung aprobar aprobación autorizar
wait waits waiting pending queue queued warten wartet pendiente pendientes esperar espera cola
reject decline refuse refused denied ablehnen abgelehnt rechazar rechazado
profile bio handle username profil benutzername perfil
people person persons somebody someone anybody who whom wer wen wem jemand jemanden jemandem quien quienes alguien user users account accounts guy leute personen konto konten nutzer gente persona personas cuenta cuentas usuario
like likes liked liking favorite heart gefällt herz gusta gustar
repost retweet retweets reposted retweeted share shared teilen weiterverbreiten retuitear compartir
quote quoted zitieren zitat citar cita
hide hidden verbergen ausblenden verstecken ocultar esconder
undo revert rückgängig zurücknehmen widerrufen deshacer revertir
stop halt freeze quit dejar aufhören pause paused anhalten pausieren stoppen detener parar pausar
timeline feed home zeitleiste startseite cronología inicio
thread threads hilo hilos
limit limits quota remaining left übrig grenze límite restante
rule rules policy regel regeln richtlinie regla reglas política
error errors failure fail fails failed problem broken fehler kaputt problema fallo
grow growth growing trend gain gained wachsen wachstum crecer crecimiento ganar
create new start open crear nuevo nueva empezar erstellen anlegen neu neue starten
change update edit rename modify rewrite refresh ändern bearbeiten umbenennen aktualisieren cambiar editar modificar actualizar
add put hinzufügen aufnehmen setzen añadir agregar meter
member members mitglied mitglieder miembro miembros
today heute hoy
week weekly woche wöchentlich semana semanal
monday tuesday wednesday thursday friday saturday sunday weekday montag dienstag mittwoch donnerstag freitag samstag sonntag lunes martes miércoles jueves viernes sábado domingo
space spaces audio room rooms podcast
ads ad advertising advertise advertisement werbung werbe anzeige anuncio publicidad
campaign campaigns kampagne kampagnen campaña
write compose word verfassen schreiben escribir redactar
send schicken senden enviar mandar
many count number volume viele anzahl cuántos cuántas número
recent recently latest newest last lately neueste letzte letzten zuletzt último últimos reciente
preview dry test try vorschau testen probar prueba
description describe describing alt beschreibung descripción
conversation conversations gespräch gespräche unterhaltung conversación
signed sign log logged login angemeldet anmelden sesión
read lesen leer
me my mine myself mich mir mein meine meinen meiner mi mis
when wann cuándo
to zu zum zur an auf a al
`
  .trim()
  .split("\n")
  .map((row) => row.split(" "));
