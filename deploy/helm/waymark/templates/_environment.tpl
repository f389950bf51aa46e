{{- define "waymark.secretsPath" -}}/etc/waymark/secrets{{- end -}}
{{- define "waymark.authoritiesPath" -}}/etc/waymark/authorities{{- end -}}
{{- define "waymark.edgePath" -}}/run/waymark{{- end -}}
{{- define "waymark.verificationPath" -}}/var/tmp{{- end -}}
{{- define "waymark.dataPath" -}}/var/lib/waymark{{- end -}}
{{- define "waymark.checkpointsPath" -}}/var/lib/waymark-checkpoints{{- end -}}

{{/* Returns the base URL that clients see. A server that is not told one would name the address that it listens on. */}}
{{- define "waymark.publicUrl" -}}
{{- $port := int .Values.service.port -}}
{{- default (printf "http://%s.%s%s" (include "waymark.fullname" .) .Release.Namespace (ternary "" (printf ":%d" $port) (eq $port 80))) .Values.publicUrl -}}
{{- end -}}

{{/* Returns the settings that the chart itself gives, by name. A service gets those that it reads. */}}
{{- define "waymark.given" -}}
{{- $values := .root.Values -}}
WAYMARK_HOST: {{ $values.listen | quote }}
WAYMARK_PORT: "8080"
WAYMARK_OPS_HOST: {{ $values.listen | quote }}
WAYMARK_OPS_PORT: "8081"
WAYMARK_DRAIN_SECONDS: {{ $values.drainSeconds | int | quote }}
WAYMARK_DATA_DIR: {{ include "waymark.dataPath" . }}
WAYMARK_PUBLIC_URL: {{ include "waymark.publicUrl" .root | quote }}
{{- if eq .key "notary" }}
WAYMARK_NOTARY_DIR: {{ include "waymark.dataPath" . }}
{{- end }}
{{- with .resources }}
WAYMARK_RESOURCES: {{ . | quote }}
{{- end }}
{{- if $values.authorities.existingConfigMap }}
WAYMARK_TLS_CA_FILE: {{ include "waymark.authoritiesPath" . }}/ca.crt
{{- end }}
{{- with $values.notary.checkpointsTo }}
{{- if .existingSecret }}
WAYMARK_CHECKPOINTS_TO_FILE: {{ include "waymark.secretsPath" . }}/checkpoints/url
{{- else if .existingClaim }}
WAYMARK_CHECKPOINTS_TO: {{ include "waymark.checkpointsPath" . }}
{{- else if .url }}
WAYMARK_CHECKPOINTS_TO: {{ .url | quote }}
{{- end }}
{{- end }}
{{- if eq .key "edge" }}
{{- include "waymark.edgeGiven" . }}
{{- end }}
{{- if eq .key "operator" }}
WAYMARK_SERVICES: {{ include "waymark.processes" .root }}
{{- end }}
{{- end -}}

{{/* The settings of the edge: a directory of its own, and the Services that it forwards to. */}}
{{- define "waymark.edgeGiven" -}}
{{- $full := include "waymark.fullname" .root }}
WAYMARK_EDGE_DIR: {{ include "waymark.edgePath" . }}
WAYMARK_EDGE_AUTH: {{ $full }}-auth:8080
WAYMARK_EDGE_QUERY: {{ $full }}-query-gateway:8080
WAYMARK_EDGE_AUDITOR: {{ $full }}-auditor:8080
WAYMARK_EDGE_AUDIT: {{ $full }}-commands-audit:8080
{{- range $name, $resource := dict "PINPOINTS" "pinpoint" "LISTS" "list" "CATEGORIES" "category" "EVENTS" "happening" }}
WAYMARK_EDGE_{{ $name }}: {{ $full }}-commands{{ if $.root.Values.commands.perResource }}-{{ $resource }}{{ end }}:8080
{{- end }}
{{- end -}}

{{/* The processes whose status the operator reads, by the headless Services that lead to their pods. */}}
{{- define "waymark.processes" -}}
{{- $processes := list -}}
{{- range include "waymark.components" . | fromYamlArray -}}
{{- if not (has .key (list "operator" "edge")) -}}
{{- $processes = append $processes (printf "%s=http://%s:8081" .name (include "waymark.objectName" (list $ (printf "%s-status" .name)))) -}}
{{- end -}}
{{- end -}}
{{- join "," $processes -}}
{{- end -}}

{{/* The name that the installation has in an engine by default, by the name of the setting. Neither of them may be longer than its engine accepts. */}}
{{- define "waymark.defaultNames" -}}
WAYMARK_KAFKA_TOPIC: {{ include "waymark.ownName" (list . 200) }}
WAYMARK_MONGODB_DATABASE: {{ include "waymark.ownName" (list . 60) }}
WAYMARK_REDIS_PREFIX: {{ include "waymark.ownName" (list . 60) }}
{{- end -}}

{{/* Returns the environment of a service, as a map of texts. Secrets are paths of files. */}}
{{- define "waymark.environment" -}}
{{- $context := . -}}
{{- $values := .root.Values -}}
{{- $known := include "waymark.service" . | fromJson -}}
{{- $given := include "waymark.given" . | fromYaml -}}
{{- $environment := dict -}}
{{- range $name := $known.chart -}}
{{- range list $name (printf "%s_FILE" $name) -}}
{{- if hasKey $given . -}}{{- $_ := set $environment . (get $given .) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name := $known.settings -}}
{{- $value := include "waymark.setting" (merge (dict "setting" $name) $context) -}}
{{- if ne $value "" -}}{{- $_ := set $environment $name $value -}}{{- end -}}
{{- end -}}
{{- if $values.keys.existingSecret -}}
{{- range $name, $entry := $known.keys -}}
{{- $_ := set $environment (printf "%s_FILE" $name) (printf "%s/keys/%s" (include "waymark.secretsPath" $) $entry) -}}
{{- end -}}
{{- end -}}
{{- $names := include "waymark.defaultNames" .root | fromYaml -}}
{{- range $engine, $fields := $known.engines -}}
{{- $given := index $values $engine -}}
{{- range $field, $name := $fields -}}
{{- $value := include "waymark.text" (default "" (get $given $field)) | default (get $names $name) -}}
{{- if get (default dict $given.entries) $field -}}
{{- $_ := set $environment (printf "%s_FILE" $name) (printf "%s/%s/%s" (include "waymark.secretsPath" $) $engine $field) -}}
{{- else if $value -}}
{{- $_ := set $environment $name $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (eq .key "edge") (not (get $environment "WAYMARK_STOP_SECONDS")) -}}
{{- $_ := set $environment "WAYMARK_STOP_SECONDS" (include "waymark.edgeStopSeconds" .) -}}
{{- end -}}
{{- if eq .key "operator" -}}
{{/* For the command line in the pod: kubectl exec … -- waymark status. */}}
{{- $_ := set $environment "WAYMARK_OPS_URL" "http://127.0.0.1:8081" -}}
{{- end -}}
{{- toYaml $environment -}}
{{- end -}}

{{/* Returns the sources of the volume with secrets: only what the component reads. */}}
{{- define "waymark.secrets" -}}
{{- $values := .root.Values -}}
{{- $service := include "waymark.service" . | fromJson -}}
{{- if and $values.keys.existingSecret $service.keys }}
- secret:
    name: {{ $values.keys.existingSecret }}
    items:
      {{- range values $service.keys | sortAlpha }}
      - {key: {{ get $values.keys.entries . | quote }}, path: keys/{{ . }}}
      {{- end }}
{{- end }}
{{- range $engine, $fields := $service.engines }}
{{- $given := index $values $engine }}
{{- $items := list }}
{{- range $field := keys $fields | sortAlpha }}
{{- with get (default dict $given.entries) $field }}{{ $items = append $items (dict "key" . "path" (printf "%s/%s" $engine $field)) }}{{ end }}
{{- end }}
{{- if $items }}
- secret:
    name: {{ $given.existingSecret }}
    items: {{- toYaml $items | nindent 6 }}
{{- end }}
{{- end }}
{{- with $values.notary.checkpointsTo }}
{{- if and .existingSecret (has "WAYMARK_CHECKPOINTS_TO" $service.chart) }}
- secret:
    name: {{ .existingSecret }}
    items: [{key: {{ .entry | quote }}, path: checkpoints/url}]
{{- end }}
{{- end }}
{{- end -}}
