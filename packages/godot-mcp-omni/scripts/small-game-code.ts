/** The scripts of the small game, as the agent writes them. */
export const FOX = `extends CharacterBody2D

const SPEED := 110.0
const JUMP := -300.0


func _physics_process(delta: float) -> void:
	velocity += get_gravity() * delta
	if is_on_floor() and Input.is_action_just_pressed("jump"):
		velocity.y = JUMP
	velocity.x = Input.get_axis("ui_left", "right") * SPEED
	move_and_slide()
`;

export const LEVEL = `extends Node2D

var berries := 0
var is_home := false


func _ready() -> void:
	for berry: Area2D in find_children("Berry*", "Area2D"):
		berry.body_entered.connect(_on_berry.bind(berry))
	$Lantern.body_entered.connect(_on_lantern)


func _on_berry(_body: Node2D, berry: Area2D) -> void:
	berry.queue_free()
	berries += 1
	$Hud/Message.text = "Berries: %d" % berries


func _on_lantern(_body: Node2D) -> void:
	is_home = true
	$Hud/Message.text = "Home with %d berries!" % berries


func _process(_delta: float) -> void:
	if is_home:
		$Fox.set_physics_process(false)
`;
